import type { FastifyInstance } from 'fastify'

/** A visitor's request, as an edge relays it. */
export type RelayedRequest = {
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  /** The visitor's IP address. */
  address: string
  headers: Record<string, string | string[]>
  /** The URL-encoded form, or an empty string. */
  body: string
}

/** The reply to a relayed request, with its body in base64. */
export type RelayedReply = {
  status: number
  headers: Record<string, number | string | string[]>
  body: string
}

/** The header with the visitor's country as the edge's proxy reports it. */
export const RELAYED_COUNTRY = 'brevis-country'

/** The settings with which relayed requests are read: the edge has checked their sender. */
export const RELAYED_SETTINGS = {
  trustProxy: ['0.0.0.0/0', '::/0'],
  clientAddressHeader: undefined,
  countryHeader: RELAYED_COUNTRY,
} as const

/**
 * Headers that are not relayed: they apply to a single connection, are set anew by the other side,
 * or could be used to impersonate another client.
 */
const UNRELAYED_HEADERS = [
  'connection',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'content-length',
  'date',
  'expect',
  'authorization',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
]

/** Returns the headers of a relayed request or reply, without `UNRELAYED_HEADERS`. */
export function selectForwardableHeaders<Value>(
  headers: Record<string, Value | undefined>,
): Record<string, Value> {
  const entries = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !UNRELAYED_HEADERS.includes(name),
  )
  return Object.fromEntries(entries) as Record<string, Value>
}

/** Handles a relayed request as if the visitor had sent it to this installation. */
export async function handleRelayed(
  visitorApp: FastifyInstance,
  { method, url, address, headers, body }: RelayedRequest,
): Promise<RelayedReply> {
  const reply = await visitorApp.inject({
    method,
    url,
    remoteAddress: address,
    // Without a value, `inject` would send its own User-Agent.
    headers: { 'user-agent': '', ...selectForwardableHeaders(headers) },
    ...(body !== '' && { payload: body }),
  })
  return {
    status: reply.statusCode,
    headers: selectForwardableHeaders(reply.headers),
    body: reply.rawPayload.toString('base64'),
  }
}
