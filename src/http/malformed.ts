import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { NO_BRAND } from '../domains/branded-domain.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import type { Access, RateWindow } from '../identity/access.ts'
import { withBrand } from '../pages/branding.ts'
import { errorPage } from '../pages/error.ts'
import { chooseLanguage } from '../pages/texts.ts'
import { renderPage } from './html/send-page.ts'
import { decodeAscii } from './logging.ts'
import { isClosing, writeRawReply } from './raw-reply.ts'
import { createRateHeaders } from './request/auth.ts'
import { noSniffHeader } from './response-headers.ts'

type ParserError = Error & { code?: string; rawPacket?: unknown; bytesParsed?: number }

type Classification = { status: number; rejection: AppError; window: RateWindow }

type Send = (socket: Socket, reply: Parameters<typeof writeRawReply>[1], error: ParserError) => void

/**
 * Creates the handler for requests that Node's parser rejects. If the request line names a page, it
 * replies with a page. Otherwise it replies in the API's envelope with rate limit headers. The key is
 * unknown, so the request counts toward the limit of the caller's IP address, unless it timed out.
 */
export function createClientErrorHandler(
  access: Access,
  logRequest: (fields: { requestId: string; status: number; reason?: string }) => void = () => {},
) {
  const send: Send = (socket, reply, { code: reason = '' }) => {
    logRequest({ requestId: writeRawReply(socket, reply), status: reply.status, reason })
  }

  return function onClientError(error: ParserError, socket: Socket): void {
    if (isClosing(socket)) return
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    void reply(error, socket).catch(() => socket.destroy())
  }

  async function reply(error: ParserError, socket: Socket): Promise<void> {
    const request = readRequest(error)
    if (request && !isApiTarget(request.path)) {
      replyWithPage(error, request, socket, send)
      return
    }
    const { status, rejection, window } = await classify(error, socket.remoteAddress ?? '')
    if (!socket.writable) return
    if (isReplying(socket)) {
      socket.destroy()
      return
    }
    const body = JSON.stringify({ error: 1, message: rejection.message })
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'access-control-allow-origin': '*',
      ...noSniffHeader,
      ...createRateHeaders(window),
      ...(rejection.code === 'rate_limited' && { 'retry-after': String(window.retryAfter) }),
    }
    send(socket, { status, headers, body }, error)
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

type MalformedRequest = { method: string; path: string; language: string | undefined }

const API_PATH = /^(?:https?:\/\/[^/]*)?\/+(?:api|yourls-api\.php|mcp|internal)(?:[/?]|$)/i

function isApiTarget(target: string): boolean {
  return API_PATH.test(decodeAscii(target))
}

/**
 * Returns the request that could not be parsed, as far as its bytes show it, or undefined if its
 * request line came in an earlier packet.
 */
function readRequest({ rawPacket, bytesParsed = 0 }: ParserError): MalformedRequest | undefined {
  const packet = Buffer.isBuffer(rawPacket) ? rawPacket.toString('latin1') : ''
  const lineEnd = packet.indexOf('\n', bytesParsed)
  const parsed = packet.slice(0, lineEnd === -1 ? packet.length : lineEnd + 1)
  const lines = [...parsed.matchAll(/(?:^|\n)([A-Z-]+) ([^\s:]\S*)/g)]
  // The packet may contain several requests, or a body with such lines. An API's client must get
  // JSON, so its path wins.
  const [, method, path] =
    lines.find(([, , target = '']) => isApiTarget(target)) ?? lines.at(-1) ?? []
  if (method === undefined || path === undefined) return undefined
  const [, language] = /^accept-language:(.*)$/im.exec(packet) ?? []
  return { method, path, language }
}

function replyWithPage(
  error: ParserError,
  request: MalformedRequest,
  socket: Socket,
  send: Send,
): void {
  const pending = getPendingReply(socket)
  if (pending && (!pending.headersSent || pending.writableEnded)) {
    // The rejected bytes follow a request, whose reply comes first.
    pending.once('close', () => replyWithPage(error, request, socket, send))
    return
  }
  if (pending || !socket.writable) {
    socket.destroy()
    return
  }
  const { code, status } = new AppError(chooseRejection(error))
  const language = chooseLanguage(request.language)
  // The host is unknown, and may be a branded domain.
  const { headers, body } = renderPage((nonce) =>
    withBrand(errorPage({ nonce, language, code, status }), NO_BRAND),
  )
  send(socket, { status, headers, body: request.method === 'HEAD' ? '' : body }, error)
}

/**
 * Returns whether a reply is partly sent. The client would read anything written now as part of it.
 */
function isReplying(socket: Socket): boolean {
  return getPendingReply(socket)?.headersSent === true
}

/** Returns the reply that Node.js is about to send, or is sending, on a connection. */
function getPendingReply(socket: Socket): ServerResponse | undefined {
  const { _httpMessage: reply } = socket as Socket & { _httpMessage?: ServerResponse | null }
  return reply ?? undefined
}

function chooseRejection({ code }: ParserError): ErrorCode {
  return code === 'HPE_HEADER_OVERFLOW' ? 'headers_too_large' : 'malformed_request'
}
