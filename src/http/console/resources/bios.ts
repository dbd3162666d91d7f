import { addBio, deleteBio, getBio, listBios, updateBio } from '../../../bio/bio.service.ts'
import type { BioPage } from '../../../bio/bio.ts'
import { readLinks } from '../../../bio/bio-input.ts'
import type { HttpContext } from '../../../context.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import { bioPage } from '../../../pages/bio.ts'
import type { Preview } from '../preview.ts'
import type { Resource, Rows, Values } from './resource.ts'

export function bioResource(ctx: HttpContext): Resource<BioPage> {
  const { config } = ctx
  const fields: Resource<BioPage>['fields']['make'] = [
    { name: 'title', label: 'Title', maxLength: 200 },
    {
      name: 'alias',
      label: 'Alias',
      maxLength: 64,
      hint: `The page’s URL is ${config.baseUrl}/b/ followed by the alias.`,
    },
    { name: 'text', label: 'Text', type: 'multiline', maxLength: 5000, optional: true },
    {
      name: 'links',
      label: 'Links',
      type: 'rows',
      hint: 'Without a title the domain is shown.',
      one: 'Link',
      columns: [
        { name: 'title', label: 'Title', example: 'My shop', maxLength: 200 },
        { name: 'url', label: 'URL', example: 'https://example.com/', maxLength: 8192 },
      ],
    },
  ]
  return {
    words: {
      section: '/console/bios',
      name: 'bio page',
      many: 'Bio pages',
      about: 'One page for all your links. Put it in your social profile.',
      deletion: 'The page goes offline and is removed from its channels.',
    },
    columns: ['URL', 'Links'],
    nameOf: ({ title }) => title,
    cellsOf: ({ alias, links }) => [
      { address: shortUrlOf(`${config.baseUrl}/b`, alias) },
      { text: String(links.length) },
    ],
    fields: { make: fields, change: fields },
    valuesOf: ({ title, alias, text }) => ({ title, alias, text }),
    rowsOf: ({ links }) => ({ links: links.map(({ title, url }) => [title, url]) }),
    preview: {
      note: 'Preview. Links are disabled.',
      read: previewOf,
    },
    list: (accountId, page) => listBios(ctx.db, accountId, page),
    get: (accountId, id) => getBio(ctx.db, accountId, id),
    add: (accountId, values, rows) => addBio(ctx, ctx.db, accountId, inputOf(values, rows)),
    update: (accountId, id, values, rows) =>
      updateBio(ctx, ctx.db, accountId, id, inputOf(values, rows)),
    remove: (accountId, id) => deleteBio(ctx.db, accountId, id),
  }
}

/** Uses a placeholder for a missing title. */
function previewOf(values: Values, rows: Rows): Preview {
  const { title, text, links } = inputOf(values, rows)
  const shown = {
    title: title.trim() || 'The title',
    links: readLinks(links),
    ...(text && { text }),
  }
  return { draw: (nonce) => bioPage({ nonce, language: 'en', ...shown }) }
}

function inputOf({ title = '', alias = '', text = '' }: Values, { links = [] }: Rows) {
  return {
    title,
    alias: alias.trim(),
    // Browsers submit text areas with CRLF line breaks.
    text: text.replaceAll('\r\n', '\n') || null,
    links: links.map(([title = '', url = '']) => ({ title, url })),
  }
}
