import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import type { SplashEntry as StoredEntry } from '../../splash/splash.service.ts'
import {
  addSplash,
  deleteSplash,
  getSplash,
  listSplashes,
  updateSplash,
} from '../../splash/splash.service.ts'
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

const tags = ['overlays and splash pages']
const Params = Type.Object({ id: Type.String({ description: 'ID of the splash page.' }) })

const fields = {
  name: Text(200, { description: 'A name for your own reference.' }),
  title: Text(200, { description: 'The heading.' }),
  message: Text(5000, { description: 'The text.' }),
}
const optionalFields = {
  image: Clearable(Text(8192, { description: 'The URL of the image.' })),
  link: Clearable(Text(8192, { description: 'The URL that the image links to.' })),
  seconds: Clearable(
    Type.Integer({
      description: 'Seconds until the visitor is redirected, up to 300; 0 waits for a click.',
    }),
  ),
}

const SplashCreate = Type.Object(
  { ...fields, ...optionalFields },
  { examples: [{ name: 'Notice', title: 'You are leaving us', message: 'Come back soon.' }] },
)
const SplashUpdate = Type.Object(
  { ...Type.Partial(Type.Object(fields)).properties, ...optionalFields },
  {
    description: 'Absent or null fields keep their values; "" clears a field.',
    examples: [{ seconds: 10 }],
  },
)

const entryFields = { id: Id, name: Type.String(), date: Timestamp }
const SplashEntry = Type.Object(entryFields)
const SplashDetails = Type.Object({
  ...entryFields,
  title: Type.String(),
  message: Type.String(),
  image: Type.String(),
  link: Type.String(),
  seconds: Type.Integer({ description: '0 if the page waits for a click.' }),
})

/** Registers the routes for custom splash pages. Legacy clients use only the list. */
export function registerSplashRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx

  app.get(
    '/splash',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'List custom splash pages',
        querystring: ListQuery,
        response: addErrorReplies(createListReply('splash', SplashEntry, config.listError)),
      },
    },
    async ({ account, query }) => {
      const page = readPage(query)
      const { entries, total } = await listSplashes(ctx.db, account.id, page)
      return presentPage('splash', entries.map(present), page, total, config.listError)
    },
  )

  app.get(
    '/splash/:id',
    {
      config: { access: { scope: 'read' } },
      schema: {
        tags,
        summary: 'Get a splash page',
        params: Params,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), details: SplashDetails })),
      },
    },
    async ({ account, params }) => {
      const splash = await getSplash(ctx.db, account.id, parsePathId(params.id))
      const { title, message, image, link, seconds } = splash
      const content = {
        title,
        message,
        image: image ?? '',
        link: link ?? '',
        seconds: seconds ?? 0,
      }
      return { error: 0 as const, details: { ...present(splash), ...content } }
    },
  )

  app.post(
    '/splash/add',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Create a splash page',
        body: SplashCreate,
        response: addErrorReplies(Type.Object({ error: Type.Literal(0), id: Id })),
      },
      preValidation: normalizeBody('create'),
    },
    (request) =>
      runOnce(request, {
        work: (db) => addSplash(ctx, db, request.account.id, request.body),
        present: ({ id }) => ({ error: 0 as const, id }),
      }),
  )

  app.put(
    '/splash/:id/update',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Update a splash page',
        params: Params,
        body: SplashUpdate,
        response: addErrorReplies(MessageReply),
      },
      preValidation: normalizeBody('update'),
    },
    async ({ account, params, body }) => {
      await updateSplash(ctx, ctx.db, account.id, parsePathId(params.id), body)
      return { error: 0 as const, message: 'Splash page has been updated successfully.' }
    },
  )

  app.delete(
    '/splash/:id/delete',
    {
      config: { access: { scope: 'links' } },
      schema: {
        tags,
        summary: 'Delete a splash page',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async ({ account, params }) => {
      await deleteSplash(ctx, ctx.db, account.id, parsePathId(params.id))
      return { error: 0 as const, message: 'Splash page has been deleted successfully.' }
    },
  )
}

function present({ id, name, createdAt }: StoredEntry) {
  return { id, name, date: formatTimestamp(createdAt) }
}
