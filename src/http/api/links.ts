import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { readLinkStatistics } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { AppError, invalid, messageWith } from '../../errors.ts'
import {
  createKeyLinks,
  deleteKeyLink,
  findKeyLink,
  getKeyLink,
  type KeyReach,
  listKeyLinks,
  prepareKeyLinks,
  updateKeyLink,
} from '../../links/key-links.ts'
import { LINK_STATES, type LinkState } from '../../links/link-filter.ts'
import type { LinkInput } from '../../links/link-input.ts'
import { createValidationError, toAppError } from '../errors.ts'
import { toKeyReach } from '../request/key-reach.ts'
import { parsePathId } from '../request/path-id.ts'
import type { ApiApp } from './api-app.ts'
import { fieldNames } from './field-names.ts'
import type { RunOnce } from './idempotency.ts'
import { readLinkInput } from './link-input.ts'
import { presentLinkDetails, presentLinkEntry } from './link-present.ts'
import { LinkCreate, LinkDetails, LinkEntry, LinkUpdate } from './link-schemas.ts'
import { normalizeBody, normalizeFields } from './normalize-body.ts'
import { presentPage, readPage } from './pagination.ts'
import {
  addErrorReplies,
  createListReply,
  ErrorReply,
  Id,
  ListQuery,
  MessageReply,
  Text,
} from './schemas.ts'
import { presentStatistics, StatisticsReply } from './statistics.ts'

const tags = ['links']
const Params = Type.Object({ id: Type.String({ description: 'ID of the link.' }) })
const CreatedReply = Type.Object({ error: Type.Literal(0), id: Id, shorturl: Type.String() })

const UrlsQuery = Type.Object({
  ...ListQuery.properties,
  order: Type.Optional(
    Type.String({ description: 'date (newest first, the default) or click (most clicks first).' }),
  ),
  q: Type.Optional(
    Text(2000, {
      description:
        'Only links that contain each of these words in their alias, destination, title or a tag, in any order.',
    }),
  ),
  status: Type.Optional(
    Type.String({ description: `Only links in this state: ${LINK_STATES.join(', ')}.` }),
  ),
  tag: Type.Optional(Text(256, { description: 'Only links with this tag, ignoring case.' })),
  short: Type.Optional(
    Text(9000, {
      description:
        'Only the link with this short URL (the scheme is optional) or alias. Adds its clicks as `data.clicks`.',
    }),
  ),
})

export function registerLinkRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  const { config } = ctx
  const List = createListReply('urls', LinkEntry, config.listError)
  const UrlsReply = Type.Object({
    error: List.properties.error,
    data: Type.Object({
      ...List.properties.data.properties,
      clicks: Type.Optional(Type.Integer()),
    }),
  })

  app.get(
    '/urls',
    {
      config: { access: { scope: 'read', boundKeys: true } },
      schema: {
        tags,
        summary: 'List links',
        querystring: UrlsQuery,
        response: addErrorReplies(UrlsReply),
      },
    },
    async (request) => {
      const { query } = request
      const reach = toKeyReach(request, 'api')
      const page = readPage(query)
      if (query.short) return presentMatch(reach, query.short, page)
      const order = query.order === 'click' ? 'click' : 'date'
      const filter = { search: query.q, tag: query.tag, state: readState(query.status) }
      const options = { ...page, order, filter } as const
      const { entries, total } = await listKeyLinks(ctx, ctx.db, reach, options)
      return presentPage('urls', entries.map(presentLinkEntry), page, total, config.listError)
    },
  )

  app.get(
    '/url/:id',
    {
      config: { access: { scope: 'read', boundKeys: true } },
      schema: {
        tags,
        summary: 'Get a link and its statistics',
        params: Params,
        response: addErrorReplies(
          Type.Object({ error: Type.Literal(0), details: LinkDetails, data: StatisticsReply }),
        ),
      },
    },
    async (request) => {
      const id = parsePathId(request.params.id)
      const link = await getKeyLink(ctx, ctx.db, toKeyReach(request, 'api'), id)
      const data = presentStatistics(await readLinkStatistics(ctx.db, link))
      return { error: 0 as const, details: presentLinkDetails(link), data }
    },
  )

  app.post(
    '/url/add',
    {
      config: { access: { scope: 'create', boundKeys: true } },
      schema: {
        tags,
        summary: 'Shorten a URL',
        body: LinkCreate,
        response: addErrorReplies(CreatedReply),
      },
      preValidation: normalizeBody('create'),
    },
    (request) =>
      runOnce(request, {
        prepare: () =>
          prepareKeyLinks(ctx, ctx.db, toKeyReach(request, 'api'), [readLinkInput(request.body)]),
        work: (db, prepared) => createKeyLinks(ctx, db, toKeyReach(request, 'api'), prepared),
        present: ([result]) => {
          if (result?.status !== 'fulfilled') throw result?.reason
          return { error: 0 as const, id: result.value.id, shorturl: result.value.shortUrl }
        },
      }),
  )

  app.post(
    '/urls/add',
    {
      config: { access: { scope: 'create', boundKeys: true } },
      schema: {
        tags,
        summary: 'Shorten up to 100 URLs in one request',
        body: Type.Object(
          {
            urls: Type.Array(Type.Unknown(), {
              minItems: 1,
              maxItems: 100,
              description:
                'Each entry has the fields of /api/url/add. At most 20 can have a password.',
            }),
          },
          {
            examples: [
              { urls: [{ url: 'https://example.com/1' }, { url: 'https://example.com/2' }] },
            ],
          },
        ),
        response: addErrorReplies(
          Type.Object({
            error: Type.Literal(0),
            results: Type.Array(Type.Union([CreatedReply, ErrorReply])),
          }),
        ),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      const entries = request.body.urls.map((entry) => readEntry(request, entry))
      const inputs = entries.flatMap((entry) => (entry instanceof AppError ? [] : entry))
      return runOnce(request, {
        prepare: () => prepareKeyLinks(ctx, ctx.db, toKeyReach(request, 'api'), inputs),
        work: (db, prepared) => createKeyLinks(ctx, db, toKeyReach(request, 'api'), prepared),
        present: (settled) => {
          const createdLinks = settled.values()
          const results = entries.map((entry) => {
            const result = entry instanceof AppError ? undefined : createdLinks.next().value
            if (result?.status === 'fulfilled') {
              return { error: 0 as const, id: result.value.id, shorturl: result.value.shortUrl }
            }
            const rejection = toAppError(result ? result.reason : entry, request)
            if (rejection.status >= 500) throw rejection
            return { error: 1 as const, message: messageWith(fieldNames, rejection) }
          })
          return { error: 0 as const, results }
        },
      })
    },
  )

  app.put(
    '/url/:id/update',
    {
      config: { access: { scope: 'links', boundKeys: true } },
      schema: {
        tags,
        summary: 'Update a link',
        params: Params,
        body: LinkUpdate,
        response: addErrorReplies(
          Type.Object({ error: Type.Literal(0), id: Id, short: Type.String() }),
        ),
      },
      preValidation: normalizeBody('update'),
    },
    async (request) => {
      const id = parsePathId(request.params.id)
      const input = readLinkInput(request.body)
      const link = await updateKeyLink(ctx, ctx.db, toKeyReach(request, 'api'), id, input)
      return { error: 0 as const, id: link.id, short: link.shortUrl }
    },
  )

  app.delete(
    '/url/:id/delete',
    {
      config: { access: { scope: 'links', boundKeys: true } },
      schema: {
        tags,
        summary: 'Delete a link',
        description:
          'Also deletes its statistics and the QR codes made for it. If an admin disabled the link or visitors ' +
          'reported it, its alias and destinations stay reserved until an admin decides (409 on use).',
        params: Params,
        response: addErrorReplies(MessageReply),
      },
    },
    async (request) => {
      const id = parsePathId(request.params.id)
      await deleteKeyLink(ctx, ctx.db, toKeyReach(request, 'api'), id)
      return { error: 0 as const, message: 'Link has been deleted successfully.' }
    },
  )

  async function presentMatch(reach: KeyReach, short: string, page: ReturnType<typeof readPage>) {
    const link = await findKeyLink(ctx, ctx.db, reach, short)
    const entries = link && page.page === 1 ? [presentLinkEntry(link)] : []
    const list = presentPage('urls', entries, page, link ? 1 : 0, config.listError)
    return link ? { ...list, data: { ...list.data, clicks: link.clicks } } : list
  }
}

/** @throws AppError `invalid_input` naming `status` */
function readState(status: string | undefined): LinkState | undefined {
  if (status === undefined || status === '') return undefined
  const state = LINK_STATES.find((each) => each === status)
  if (!state) throw invalid('status', `must be one of ${LINK_STATES.join(', ')}`)
  return state
}

/**
 * Validates one entry of a batch like the body of `/api/url/add`. Returns the link's input, or the
 * error.
 */
function readEntry(request: FastifyRequest, entry: unknown): LinkInput | AppError {
  try {
    const body = normalizeFields('create', LinkCreate, entry)
    const validate = request.compileValidationSchema(LinkCreate, 'body')
    if (!validate(body)) return createValidationError(validate.errors ?? [])
    return readLinkInput(body as Static<typeof LinkCreate>)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
}
