import type { Socket } from 'node:net'
import { createRequestId, REQUEST_ID } from './request/request-id.ts'

const reasonPhrases: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/**
 * The time that a client has to read the reply to a malformed request and to close the connection.
 */
const LINGER_MS = 1000

const closingSockets = new WeakSet<Socket>()

/** Returns whether a reply has been written that closes the connection. */
export function isClosing(socket: Socket): boolean {
  return closingSockets.has(socket)
}

/**
 * Writes a reply without Node's help, because its parser has rejected the request, and closes the
 * connection. Returns the id of the request.
 */
export function writeRawReply(
  socket: Socket,
  { status, headers, body }: { status: number; headers: Record<string, string>; body: string },
): string {
  const id = createRequestId()
  const all = {
    ...headers,
    [REQUEST_ID]: id,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  closingSockets.add(socket)
  socket.end(`HTTP/1.1 ${status} ${reasonPhrases[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  // Destroying the socket immediately would discard the reply if the client is still sending. A
  // client that never closes its side would keep the connection.
  const timer = setTimeout(() => socket.destroy(), LINGER_MS)
  socket.once('close', () => clearTimeout(timer))
  return id
}
