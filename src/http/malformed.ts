import type { Socket } from 'node:net'
import type { Access, RateWindow } from '../accounts/access.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { rateHeaders } from './auth.ts'

type ParserError = Error & { code?: string }

const reasons: Record<number, string> = {
  400: 'Bad Request',
  408: 'Request Timeout',
  429: 'Too Many Requests',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
}

/**
 * Answers what Node's parser refuses before there is a request: in the API's envelope and with its
 * rate headers, counted against the caller's address, since no path or key can be read for certain.
 */
export function createClientErrorHandler(access: Access) {
  return function onClientError(error: ParserError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    void answer(error, socket).catch(() => socket.destroy())
  }

  async function answer(error: ParserError, socket: Socket): Promise<void> {
    let window: RateWindow = access.unknown()
    let refusal = new AppError(refusalOf(error))
    try {
      const result = await access.check({ key: undefined, address: socket.remoteAddress ?? '' })
      window = result.window
      if (result.refusal === 'rate_limited') refusal = new AppError('rate_limited')
    } catch {
      // Without the database there is nothing to count in; the request was refused in any case.
    }
    if (!socket.writable) return
    const status = error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 408 : refusal.status
    const body = JSON.stringify({ error: 1, message: refusal.message })
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'access-control-allow-origin': '*',
      connection: 'close',
      ...rateHeaders(window),
      ...(refusal.code === 'rate_limited' && { 'retry-after': String(window.retryAfter) }),
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
    socket.end(`HTTP/1.1 ${status} ${reasons[status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
  }
}

function refusalOf({ code }: ParserError): ErrorCode {
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request'
}
