import { type Static, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import { readLinkStatistics } from '../../clicks/read.ts'
import type { HttpContext } from '../../context.ts'
import { AppError, messageWith } from '../../errors.ts'
import { createLinks } from '../../links/create-links.ts'
import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'
import { deleteLink, getLink, updateLink } from '../../links/link.service.ts'
import type { LinkInput } from '../../links/link.ts'
import { readNewLinks } from '../../links/new-links.ts'
import { createValidationError, toAppError } from '../errors.ts'
import { parsePathId } from '../request/path-id.ts'
import { type ApiApp, fieldNames } from './api-app.ts'
import type { RunOnce } from './idempotency.ts'
import { registerLinkListRoute } from './link-list.ts'
import { LinkCreate, LinkDetails, LinkUpdate, presentLinkDetails } from './link-schemas.ts'
import {
  addErrorReplies,
  ErrorReply,
  Id,
  MessageReply,
  normalizeBody,
  normalizeFields,
} from './schemas.ts'
import { presentStatistics, StatisticsReply } from './statistics.ts'

const tags = ['links']
const Params = Type.Object({ id: Type.String({ description: 'ID of the link.' }) })
const CreatedReply = Type.Object({ error: Type.Literal(0), id: Id, shorturl: Type.String() })

export function registerLinkRoutes(app: ApiApp, ctx: HttpContext, runOnce: RunOnce): void {
  registerLinkListRoute(app, ctx)

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
      const link = await getLink(request.scope, id)
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
        prepare: () => readNewLinks(request.scope, [readLinkInput(request.body)]),
        work: createLinks,
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
        prepare: () => readNewLinks(request.scope, inputs),
        work: createLinks,
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
      const link = await updateLink(request.scope, id, input)
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
      await deleteLink(request.scope, id)
      return { error: 0 as const, message: 'Link has been deleted successfully.' }
    },
  )
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

/** Converts a validated request body to a `LinkInput`. */
export function readLinkInput(body: object): LinkInput {
  const values = body as Record<string, unknown>
  const fields = Object.fromEntries(FIELD_NAMES.map((name) => [name, values[FIELDS[name].api]]))
  const { custom: alias, domain, pixels, tags } = values
  return { ...fields, alias, domain, pixels, tags } as LinkInput
}
