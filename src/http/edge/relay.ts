import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PostToMain } from '../../edge/main-client.ts'
import { AppError } from '../../errors.ts'
import { REQUEST_ID } from '../request/request-id.ts'
import {
  RELAYED_COUNTRY,
  type RelayedReply,
  type RelayedRequest,
  selectForwardableHeaders,
} from './relayed.ts'

const TIMEOUT_MS = 5000
/** After a failed request, the main installation is not contacted for this long. */
const COOLDOWN_MS = 500
/** Limited, because the main installation limits the connections per IP address. */
const MAX_RUNNING = 100

/** Creates the function that relays a visitor's request to the main installation and sends its reply. */
export function createRelay(postToMain: PostToMain) {
  let downUntil = 0
  let running = 0

  /**
   * @throws AppError `database_unavailable` if the main installation does not respond, has just
   *   failed to respond, or still handles too many requests
   */
  return async function relay(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { status, headers, body } = await sendToMain(toRelayedRequest(request))
    return reply.code(status).headers(headers).send(Buffer.from(body, 'base64'))
  }

  async function sendToMain(request: RelayedRequest): Promise<RelayedReply> {
    if (performance.now() < downUntil || running >= MAX_RUNNING) {
      throw new AppError('database_unavailable')
    }
    running += 1
    try {
      return (await postToMain('relay', request, { timeoutMs: TIMEOUT_MS })) as RelayedReply
    } catch (error) {
      downUntil = performance.now() + COOLDOWN_MS
      throw new AppError('database_unavailable', { cause: error })
    } finally {
      running -= 1
    }
  }
}

function toRelayedRequest(request: FastifyRequest): RelayedRequest {
  const { id, method, raw, ip, headers, body, reportedCountry = '' } = request
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries((body ?? {}) as Record<string, string | string[]>)) {
    for (const item of [value].flat()) form.append(name, item)
  }
  return {
    method: method as RelayedRequest['method'],
    url: raw.url ?? '/',
    address: ip,
    headers: {
      ...selectForwardableHeaders(headers),
      [RELAYED_COUNTRY]: reportedCountry,
      [REQUEST_ID]: id,
    },
    body: method === 'POST' ? form.toString() : '',
  }
}
