import type { FastifyInstance } from 'fastify'

/** A visitor's request that an edge relays. */
export type RelayedRequest = {
  method: 'GET' | 'HEAD' | 'POST'
  url: string
  /** The visitor's address. */
  address: string
  headers: Record<string, string | string[]>
  /** The form, or an empty text. */
  body: string
}

/** The reply to a relayed request, with its body in base64. */
export type RelayedReply = {
  status: number
  headers: Record<string, number | string | string[]>
  body: string
}

/** Headers that apply to a single connection, or that identify the client to proxies. */
const NOT_PASSED_ON = [
  ...['connection', 'keep-alive', 'proxy-authorization', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade', 'content-length', 'date', 'expect', 'authorization'],
  ...['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip'],
]

/** Returns the headers of a relayed request or reply that are passed on. */
export function passedOn<Value>(headers: Record<string, Value | undefined>): Record<string, Value> {
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !NOT_PASSED_ON.includes(name),
  )
  return Object.fromEntries(kept) as Record<string, Value>
}

/** Handles a relayed request as if the visitor had sent it to this installation. */
export async function answerRelayed(
  visitorApp: FastifyInstance,
  { method, url, address, headers, body }: RelayedRequest,
): Promise<RelayedReply> {
  const reply = await visitorApp.inject({
    ...{ method, url, remoteAddress: address },
    // Prevents `inject` from sending its own User-Agent.
    headers: { 'user-agent': '', ...passedOn(headers) },
    ...(body !== '' && { payload: body }),
  })
  return {
    status: reply.statusCode,
    headers: passedOn(reply.headers),
    body: reply.rawPayload.toString('base64'),
  }
}
