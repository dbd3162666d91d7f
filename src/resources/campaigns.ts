import { Type } from '@sinclair/typebox'
import { transact } from '../db/transaction.ts'
import { t, tAll } from '../texts.ts'
import { parseSlug } from '../urls/alias.ts'
import { shortUrlOf } from '../urls/short-url.ts'
import type { EntryOf } from './definition.ts'
import { flagField, optionalTextField, textField } from './field.ts'
import { defineResource } from './resource.ts'

/**
 * A named group of links. With a slug, it also has a rotator, a URL that redirects to any of them.
 */
export type Campaign = EntryOf<typeof definition>

const definition = defineResource({
  table: 'campaigns',
  fields: {
    name: textField({ max: 200, label: 'resource.name' }),
    slug: {
      ...optionalTextField({
        max: 256,
        description: 'The last part of the rotator’s URL, with the same rules as an alias.',
        label: 'campaign.slug',
        hint: (baseUrl) => t('campaign.slugHint', { url: `${baseUrl}/r/{slug}` }),
        maxLength: 64,
      }),
      read: (slug: string | null) => (slug ? parseSlug('slug', slug) : null),
    },
    public: flagField({
      description: 'Whether the list of links is public.',
      label: 'campaign.publish',
    }),
  },
  listed: ['name', 'slug', 'public'],
  api: {
    listPath: '/campaigns',
    path: '/campaign',
    collection: 'campaigns',
    tag: 'campaigns',
    noun: 'campaign',
    summaries: {
      list: 'List campaigns',
      create: 'Create a campaign',
      update: 'Update a campaign',
      remove: 'Delete a campaign',
    },
    create: {
      fields: { name: 'optional', slug: 'optional', public: 'optional' },
      example: { name: 'Spring', slug: 'spring', public: true },
    },
    update: {
      fields: { name: 'required', slug: 'clearable', public: 'clearable' },
      description: 'Absent or null fields keep their values; "" clears a field.',
      example: { name: 'Summer' },
    },
    entry: ['id', 'name', 'domain', 'public', 'rotator', 'list'],
    created: ['id', 'domain', 'public', 'rotator', 'list'],
    updated: ['id', 'domain', 'public', 'rotator', 'list'],
    properties: {
      domain: Type.String({ description: 'The name of the campaign.' }),
      rotator: Type.Union([
        Type.Literal(false),
        Type.String({ description: 'URL of the rotator.' }),
      ]),
      list: Type.String({
        description: 'URL of the public list, which is available while `public` is true.',
      }),
    },
    present: ({ id, name, slug }, { baseUrl, username }) => ({
      domain: name,
      rotator: slug !== null && shortUrlOf(`${baseUrl}/r`, slug),
      list: `${baseUrl}/u/${username}/${id}`,
    }),
  },
  pages: {
    section: '/console/campaigns',
    words: () => tAll('campaign.words'),
    title: 'name',
    columns: [],
    codes: { slug_taken: 'slug' },
  },
})

/** Campaigns. A deletion does not delete their links. */
export const campaigns: typeof definition = {
  ...definition,

  /** Creates a campaign. Its default name is `Campaign <id>`. @throws AppError `slug_taken` */
  create(scope, values) {
    if (values.name !== undefined) return definition.create(scope, values)
    return transact(scope, async (tx) => {
      const unnamed = await definition.create(tx, { ...values, name: 'Campaign' })
      return definition.update(tx, unnamed.id, { name: `Campaign ${unnamed.id}` })
    })
  },
}
