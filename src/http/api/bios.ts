import { Type } from '@sinclair/typebox'
import { addBio, deleteBio, getBio, listBios, updateBio } from '../../bio/bio.service.ts'
import { BIO_THEMES, type BioPage } from '../../bio/bio.ts'
import type { HttpContext } from '../../context.ts'
import { shortUrlOf } from '../../links/short-url.ts'
import { parsePathId } from '../request/path-id.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import { normalizeBody } from './normalize-body.ts'
import { presentPage, readPage } from './pagination.ts'
import {
  addErrorReplies,
  Clearable,
  createListReply,
  Id,
  ListQuery,
  MessageReply,
  Text,
  Timestamp,
} from './schemas.ts'

const tags = ['bio pages']
/** Error messages call the alias of a bio page `alias`, not `custom` as for links. */
const unmappedNames = { fieldNames: {} }
const Params = Type.Object({ id: Type.String({ description: 'ID of the bio page.' }) })

const fields = {
  alias: Text(256, { description: 'The last part of the page’s URL, after /b/.' }),
  title: Text(200, { description: 'The heading.' }),
}
const optionalFields = {
  text: Clearable(Text(5000, { description: 'The text below the heading.' })),
  theme: Clearable(
    Type.Union(
      BIO_THEMES.map((theme) => Type.Literal(theme)),
      { description: 'The theme. `auto`, the default, is light or dark as the visitor prefers.' },
    ),
  ),
  color: Clearable(
    Type.String({
      pattern: '^#[0-9A-Fa-f]{6}$',
      description: 'The background of the theme `color`.',
    }),
  ),
  links: Clearable(
    Type.Array(
      Type.Object({
        title: Type.Optional(Text(200, { description: 'Default: the host of the URL.' })),
        url: Text(8192),
      }),
      { maxItems: 100, description: 'The links in display order.' },
    ),
  ),
}

const BioCreate = Type.Object(
  { ...fields, ...optionalFields },
  {
    examples: [
      { alias: 'anna', title: 'Anna', links: [{ title: 'Shop', url: 'https://example.com/shop' }] },
    ],
  },
)
const BioUpdate = Type.Object(
  { ...Type.Partial(Type.Object(fields)).properties, ...optionalFields },
  {
    description: 'Absent or null fields keep their values; "" or [] clears a field.',
    examples: [{ text: 'Where to find me' }],
  },
)

const entryFields = {
  id: Id,
  alias: Type.String(),
  link: Type.String({ description: 'URL of the page.' }),
  title: Type.String(),
  date: Timestamp,
}
const BioEntry = Type.Object(entryFields)
const BioDetails = Type.Object({
  ...entryFields,
  text: Type.String(),
  theme: Type.String(),
  color: Type.String(),
  picture: Type.String({ description: 'URL of the picture, or empty.' }),
  links: Type.Array(
    Type.Object({
      title: Type.String(),
      url: Type.String(),
      clicks: Type.Union([Type.Integer(), Type.Null()], {
        description: 'Null for URLs of this service other than the account’s short links.',
      }),
    }),
  ),
})

/** Registers the routes of bio pages, which are public lists of links. */
export function registerBioRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/bio',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List bio pages',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('bios', BioEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await listBios(ctx.db, account.id, page)
      return presentPage('bios', entries.map(present), page, total, config.listError)
    },
  )

  app.get(
    '/bio/:id',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'Get a bio page and its links',
        params: Params,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), details: BioDetails })),
      },
    },
    async ({ account, params }) => {
      const bio = await getBio(ctx.db, account.id, parsePathId(params.id))
      const { text, theme, color, pictureHash } = bio
      const { link, ...entry } = present(bio)
      const picture = pictureHash === null ? '' : `${link}/picture.png`
      const links = bio.links.map(({ title, url, clicks = null }) => ({ title, url, clicks }))
      const details = { ...entry, link, text, theme, color, picture, links }
      return { error: 0 as const, details }
    },
  )

  app.post(
    '/bio/add',
    {
      config: { ...unmappedNames, access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Create a bio page',
        body: BioCreate,
        response: addErrorReplies(
          Type.Object({ error: Type.Literal(0), id: Id, link: entryFields.link }),
        ),
      },
      preValidation: normalizeBody('create'),
    },
    (request) =>
      runOnce(request, {
        work: ({ db }) => addBio(ctx, db, request.account.id, request.body),
        present: (bio) => ({ error: 0 as const, id: bio.id, link: present(bio).link }),
      }),
  )

  app.put(
    '/bio/:id/update',
    {
      config: { ...unmappedNames, access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Update a bio page',
        params: Params,
        body: BioUpdate,
        response: addErrorReplies(MessageReply),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ account, params, body }) => {
      await updateBio(ctx, ctx.db, account.id, parsePathId(params.id), body)
      return { error: 0 as const, message: 'Bio page has been updated successfully.' }
    },
  )

  app.delete(
    '/bio/:id/delete',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Delete a bio page and remove it from channels',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ account, params }) => {
      await deleteBio(ctx, ctx.db, account.id, parsePathId(params.id))
      return { error: 0 as const, message: 'Bio page has been deleted successfully.' }
    },
  )

  function present({ id, alias, title, createdAt }: BioPage) {
    const link = shortUrlOf(`${config.baseUrl}/b`, alias)
    return { id, alias, link, title, date: formatTimestamp(createdAt) }
  }
}
