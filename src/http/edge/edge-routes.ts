import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HandOver } from '../../clicks/import.ts'
import type { HttpContext } from '../../context.ts'
import type { Edges, FeedRequest } from '../../edge/edges.ts'
import { AppError } from '../../errors.ts'
import { ChangesPrunedError } from '../../links/store/feed.ts'
import { sendErrorBody, toAppError } from '../errors.ts'
import { readBearerKey } from '../request/auth.ts'
import { preventSniffing } from '../response-headers.ts'
import {
  changesBody,
  clicksBody,
  entriesBody,
  positionsBody,
  relayBody,
  sourceBody,
} from './bodies.ts'
import { handleRelayed, type RelayedRequest } from './relayed.ts'

type Body<Shape> = FastifyRequest<{ Body: Shape }>

const gzipInBackground = promisify(gzip)
const MIN_COMPRESSED_LENGTH = 4096
/** 5,000 clicks with long labels take about 5 MB. */
const MAX_CLICKS_BYTES = 16 * 1024 * 1024

/**
 * Creates the plugin for the main installation's edges, which authenticate with the edge token:
 * the feed of links, clicks to count, and relayed visitor requests, which `visitorApp` handles.
 */
export function createEdgeRoutes(
  { edges, instance }: HttpContext & { edges: Edges },
  visitorApp: FastifyInstance,
) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    const { feed, clicks } = edges
    preventSniffing(app)
    app.addHook('onRequest', async (request, reply) => {
      if (edges.isValidToken(readBearerKey(request) ?? '')) return
      reply.header('www-authenticate', 'Bearer')
      throw new AppError('edge_token_required')
    })
    app.setErrorHandler(sendError)
    app.addHook('onSend', compress)

    app.post(
      '/feed/source',
      createRouteOptions(sourceBody),
      async ({ body }: Body<FeedRequest>) => {
        edges.requireSameProgram(body)
        return feed.readSource()
      },
    )

    app.post(
      '/feed/entries',
      createRouteOptions(entriesBody),
      async ({ body }: Body<EntriesRequest>) => {
        edges.requireSameProgram(body)
        return feed.readNextEntries(body.kind, body)
      },
    )

    app.post(
      '/feed/changes',
      createRouteOptions(changesBody),
      async ({ body }: Body<ChangesRequest>) => {
        edges.requireSameProgram(body)
        return feed.readChanges(body, body).catch(throwAsOutdated)
      },
    )

    app.post(
      '/clicks/positions',
      createRouteOptions(positionsBody),
      async ({ body }: Body<Pick<HandOver, 'journal' | 'installation'>>) => {
        edges.requireSameInstallation(body, instance)
        return Object.fromEntries(await clicks.readPositions(body.journal))
      },
    )

    app.post(
      '/clicks',
      { ...createRouteOptions(clicksBody), bodyLimit: MAX_CLICKS_BYTES },
      async ({ body }: Body<HandOver>, reply) => {
        edges.requireSameInstallation(body, instance)
        if (!(await clicks.count(body))) throw new AppError('clicks_counted')
        return reply.send({})
      },
    )

    app.post('/relay', createRouteOptions(relayBody), async ({ body }: Body<RelayedRequest>) =>
      handleRelayed(visitorApp, body),
    )
  }
}

type EntriesRequest = FeedRequest & {
  kind: Parameters<Edges['feed']['readNextEntries']>[0]
  after: number
  limit: number
}
type ChangesRequest = FeedRequest & { source: string; since: string; mayWait: boolean }

/**
 * Throws `edge_outdated` if the changes since an edge's position are no longer available, so that
 * the edge rebuilds its store. Rethrows other errors.
 */
function throwAsOutdated(error: unknown): never {
  throw error instanceof ChangesPrunedError
    ? new AppError('edge_outdated', { message: error.message })
    : error
}

function createRouteOptions(body: object) {
  return { schema: { hide: true, body } }
}

/**
 * Compresses large replies if the client accepts gzip, because a feed of a million links takes
 * hundreds of megabytes.
 */
async function compress({ headers }: FastifyRequest, reply: FastifyReply, payload: unknown) {
  const isAccepted = /\bgzip\b/.test(headers['accept-encoding'] ?? '')
  if (!isAccepted || typeof payload !== 'string' || payload.length < MIN_COMPRESSED_LENGTH)
    return payload
  reply.header('content-encoding', 'gzip').removeHeader('content-length')
  return gzipInBackground(payload)
}

function sendError(thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const error = toAppError(thrown, request)
  return sendErrorBody(reply, error, { error: 1, message: error.message })
}
