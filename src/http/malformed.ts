import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Access, RateWindow } from '../accounts/access.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { noSniffHeader } from './no-sniffing.ts'
import { createRateHeaders } from './request/auth.ts'

type ParserError = Error & { code?: string }

type Classification = { status: number; rejection: AppError; window: RateWindow }

const reasonPhrases: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/**
 * Creates the handler for requests that Node's parser rejects. It replies in the API's envelope with
 * rate limit headers. The path and key are unknown, so the request counts toward the limit of the
 * caller's IP address, unless it timed out.
 */
export function createClientErrorHandler(access: Access) {
  return function onClientError(error: ParserError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    void reply(error, socket).catch(() => socket.destroy())
  }

  async function reply(error: ParserError, socket: Socket): Promise<void> {
    const { status, rejection, window } = await classify(error, socket.remoteAddress ?? '')
    if (!socket.writable) return
    if (isReplying(socket)) {
      socket.destroy()
      return
    }
    const body = JSON.stringify({ error: 1, message: rejection.message })
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'access-control-allow-origin': '*',
      ...noSniffHeader,
      connection: 'close',
      ...createRateHeaders(window),
      ...(rejection.code === 'rate_limited' && { 'retry-after': String(window.retryAfter) }),
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end(
      `HTTP/1.1 ${status} ${reasonPhrases[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`,
    )
  }

  async function classify(error: ParserError, address: string): Promise<Classification> {
    const rejection = new AppError(chooseRejection(error))
    const uncounted = { status: rejection.status, rejection, window: access.createUnknownWindow() }
    // Thousands of idle connections may time out at once, so these are not counted in the database.
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return { ...uncounted, status: 408 }
    try {
      const { rejection: code, window } = await access.check({ key: undefined, address })
      if (code !== 'rate_limited') return { ...uncounted, window }
      return { status: 429, rejection: new AppError(code), window }
    } catch {
      // Without the database the request cannot be counted, but it is rejected anyway.
      return uncounted
    }
  }
}

/**
 * Returns whether a reply is partly sent. The client would read anything written now as part of it.
 */
function isReplying(socket: Socket): boolean {
  const { _httpMessage: reply } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return reply?.headersSent === true
}

function chooseRejection({ code }: ParserError): ErrorCode {
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request'
}
