import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { DocsFrame } from '../../pages/docs/frame.ts'
import type { Group, Operation, Parameter, Schema } from '../../pages/docs/openapi.ts'
import { gettingStartedPage, groupPage, searchPage } from '../../pages/docs/pages.ts'
import { SAMPLE_LANGUAGES, type SampleLanguage } from '../../pages/docs/samples.ts'
import { findText, getLanguage, t } from '../../texts.ts'
import { compressReplies } from '../compression.ts'
import { followLanguage } from '../follow-language.ts'
import { requireServiceHost, sendNotFound } from '../html/not-found.ts'
import { pageRoute } from '../html/page-route.ts'
import { sendPage } from '../html/send-page.ts'

type DocsRequest = FastifyRequest<{
  Params: { group: string }
  Querystring: { q?: unknown; sample?: unknown }
}>

/** The maximum length of a search. */
const MAX_SEARCH = 100

type Content = { 'application/json'?: { schema?: Schema; example?: unknown } }
type OpenApiOperation = {
  tags?: string[]
  summary?: string
  description?: string
  parameters?: Parameter[]
  requestBody?: { content?: Content }
  responses?: Record<string, { content?: Content }>
}
type OpenApiDocument = { paths?: Record<string, Record<string, OpenApiOperation>> }

/**
 * Creates the plugin for `/docs`: the API reference as pages, generated from the OpenAPI description.
 */
export function createDocsRoutes(ctx: HttpContext) {
  const { config } = ctx
  const { baseUrl, console } = config

  return async function plugin(app: FastifyInstance): Promise<void> {
    app.addHook('onRequest', requireServiceHost(ctx))
    await compressReplies(app)
    followLanguage(app)
    // The description is complete only after all routes are registered.
    let cachedGroups: Group[] | undefined
    const listGroups = () => {
      cachedGroups ??= groupOperations(app.swagger() as OpenApiDocument)
      return cachedGroups
    }

    const send = (
      { query }: DocsRequest,
      reply: FastifyReply,
      render: (frame: DocsFrame) => string,
    ) => {
      const frame: Omit<DocsFrame, 'nonce'> = {
        baseUrl,
        hasConsole: console,
        siteName: config.siteName,
        groups: listGroups(),
        sample: readSample(query),
        language: getLanguage(),
        t: (name, values) => t(`docs.${name}`, values),
        findGroupName: (slug) => findText('docs.groups', slug),
      }
      const headers = { vary: 'Accept-Language' }
      return sendPage(reply, (nonce) => render({ nonce, ...frame }), { headers })
    }

    for (const url of ['/docs', '/docs/']) {
      app.route({
        ...pageRoute,
        url,
        handler: async (request: DocsRequest, reply) => {
          const limits = { requestsPerMinute: config.rateLimitPerMinute }
          return send(request, reply, (frame) => gettingStartedPage(frame, limits))
        },
      })
    }

    app.route({
      ...pageRoute,
      url: '/docs/search',
      handler: async (request: DocsRequest, reply) => {
        const { q } = request.query
        const search = typeof q === 'string' ? q.trim().slice(0, MAX_SEARCH) : ''
        return send(request, reply, (frame) => searchPage(frame, search))
      },
    })

    app.route({
      ...pageRoute,
      url: '/docs/:group',
      handler: async (request: DocsRequest, reply) => {
        const group = listGroups().find(({ slug }) => slug === request.params.group)
        if (!group) return sendNotFound(ctx, reply, { kind: 'service' })
        return send(request, reply, (frame) => groupPage(frame, group))
      },
    })
  }
}

function readSample({ sample }: DocsRequest['query']): SampleLanguage {
  return SAMPLE_LANGUAGES.find((language) => language === sample) ?? SAMPLE_LANGUAGES[0]
}

/** Groups the operations of the API by subject. The legacy API comes last. */
function groupOperations({ paths = {} }: OpenApiDocument): Group[] {
  const groups = new Map<string, Operation[]>()
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      const [name = 'others'] = operation.tags ?? []
      const operations = groups.get(name) ?? []
      groups.set(name, [...operations, toOperation(method, path, operation)])
    }
  }
  const isLegacy = (name: string) => Number(name.startsWith('legacy'))
  return [...groups]
    .sort(([a], [b]) => isLegacy(a) - isLegacy(b))
    .map(([name, operations]) => ({
      name,
      slug: name.toLowerCase().replace(/[^a-z]+/g, '-'),
      operations,
    }))
}

function toOperation(method: string, path: string, operation: OpenApiOperation): Operation {
  const { summary = path, description, parameters = [], requestBody, responses } = operation
  const body = requestBody?.content?.['application/json']
  const schema = body?.schema
  return {
    method,
    path,
    summary,
    ...(description && { description }),
    parameters,
    body: schema && { schema, example: body.example ?? schema.examples?.[0] },
    reply: responses?.[200]?.content?.['application/json']?.schema,
  }
}
