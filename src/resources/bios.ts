import { Type } from '@sinclair/typebox'
import { type AccountScope, unscoped } from '../db/account-rows.ts'
import { findOwned } from '../db/owned.queries.ts'
import { tAll } from '../texts.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import { createBio, removeBio, updateBio } from './bio-changes.ts'
import { bioFields } from './bio-fields.ts'
import { type BioPage, findTargets, getBio, getHiddenReason, listBios } from './bios.queries.ts'
import type { Resource, ResourceScope } from './definition.ts'
import { defineResource } from './resource.ts'

const definition = defineResource({
  table: 'bio_pages',
  fields: bioFields,
  listed: ['alias', 'title', 'text', 'theme', 'color', 'links'],
  api: {
    listPath: '/bio',
    path: '/bio',
    collection: 'bios',
    tag: 'bio pages',
    noun: 'bio page',
    summaries: {
      list: 'List bio pages',
      get: 'Get a bio page and its links',
      create: 'Create a bio page',
      update: 'Update a bio page',
      remove: 'Delete a bio page and remove it from channels',
    },
    create: {
      example: {
        alias: 'anna',
        title: 'Anna',
        links: [{ title: 'Shop', url: 'https://example.com/shop' }],
      },
    },
    update: {
      description: 'Absent or null fields keep their values; "" or [] clears a field.',
      example: { text: 'Where to find me' },
    },
    entry: ['id', 'alias', 'link', 'title', 'date'],
    details: ['id', 'alias', 'link', 'title', 'date', 'text', 'theme', 'color', 'picture', 'links'],
    created: ['id', 'link'],
    properties: {
      link: Type.String({ description: 'URL of the page.' }),
      picture: Type.String({ description: 'URL of the picture, or empty.' }),
    },
    present: ({ alias, pictureHash }: BioPage, { baseUrl }) => {
      const link = shortUrlOf(`${baseUrl}/b`, alias)
      return { link, picture: pictureHash === null ? '' : `${link}/picture.png` }
    },
  },
  pages: {
    section: '/console/bios',
    words: () => tAll('bio.words'),
    title: 'title',
    columns: [],
    codes: { alias_taken: 'alias' },
  },
})

/**
 * Public pages of links. A page comes and goes with the links of its buttons, and counts their clicks,
 * so its service is written by hand.
 */
export const bios = {
  ...definition,
  list: listBios,
  get: getBio,
  create: createBio,
  update: updateBio,
  remove: removeBio,
} satisfies Resource<typeof bioFields>

/**
 * Returns a page with the clicks of its buttons and the reasons why some are hidden.
 *
 * @throws AppError `not_found`
 */
export async function getBioForEditor(scope: ResourceScope, id: number): Promise<BioPage> {
  const bio = await getBio(scope, id)
  const targets = await findTargets(unscoped(scope), bio.links)
  const at = { list: await scope.blockList.current(), now: scope.clock() }
  const links = bio.links.map((button) => ({
    ...button,
    hidden: getHiddenReason(button, targets, at),
  }))
  return { ...bio, links }
}

/** Returns the picture of an account's page, or null if it has none or there is no such page. */
export async function getBioPicture(scope: AccountScope, id: number): Promise<Buffer | null> {
  return (await findOwned(scope, 'bio_pages', id))?.picture ?? null
}
