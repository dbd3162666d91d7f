import { Client, type Dispatcher, errors } from 'undici'
import { AppError } from '../errors.ts'
import { createCheckedConnector, type Lookup } from './checked-connector.ts'
import { OutboundError } from './outbound-error.ts'

type ExchangeOptions = {
  isPermitted: (address: string) => boolean
  lookup: Lookup
  /** For the connection; the whole exchange ends with `signal`. */
  timeoutMs: number
  /** Bytes of the body at most. */
  limit: number
  signal: AbortSignal
  /** Sent beside the usual ones. */
  headers: Readonly<Record<string, string>>
  /** What is posted: of the reply then only its status is read, also where it leads on. */
  post?: string
}

/**
 * One request on a connection of its own: gives the reply, or where it leads on to.
 *
 * @throws OutboundError with its `reason`; AppError as `lookup` throws it
 */
export async function exchange(url: URL, options: ExchangeOptions) {
  const { limit, signal, headers, post, ...connection } = options
  const client = new Client(url.origin, {
    connect: createCheckedConnector({ ...connection, signal }),
    // The signal below ends the request; undici's own timers are coarser and not needed.
    headersTimeout: 0,
    bodyTimeout: 0,
  })
  // undici looks at a request's own signal only after the connection was made.
  const abort = () => void client.destroy(signal.reason)
  signal.addEventListener('abort', abort)
  try {
    signal.throwIfAborted()
    const response = await client.request({
      ...(post === undefined ? { method: 'GET' } : { method: 'POST', body: post }),
      path: `${url.pathname}${url.search}`,
      headers: { 'user-agent': 'Brevis', accept: '*/*', 'accept-encoding': 'identity', ...headers },
      reset: true,
    })
    return post === undefined ? await readReply(response, limit) : { result: readHead(response) }
  } catch (error) {
    throw toOutboundError(error, signal)
  } finally {
    signal.removeEventListener('abort', abort)
    await client.destroy()
  }
}

/** What the head of a reply says; the connection is destroyed with the body unread. */
function readHead({ statusCode, headers, body }: Dispatcher.ResponseData) {
  body.on('error', () => {})
  return {
    status: statusCode,
    contentType: header(headers, 'content-type'),
    body: Buffer.alloc(0),
    retryAfter: header(headers, 'retry-after'),
  }
}

async function readReply({ statusCode, headers, body }: Dispatcher.ResponseData, limit: number) {
  const location = header(headers, 'location')
  if ([301, 302, 303, 307, 308].includes(statusCode) && location !== '') {
    // The connection is destroyed with the body unread; that is no failure.
    body.on('error', () => {})
    return { location }
  }
  const encoding = header(headers, 'content-encoding').toLowerCase()
  if (encoding !== '' && encoding !== 'identity') throw new OutboundError('bad_response')

  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of body) {
    length += chunk.length
    // Counted, since `content-length` is only a claim.
    if (length > limit) throw new OutboundError('too_large')
    chunks.push(chunk)
  }
  const contentType = header(headers, 'content-type')
  const retryAfter = header(headers, 'retry-after')
  return {
    result: {
      ...{ status: statusCode, contentType, body: Buffer.concat(chunks, length) },
      ...(retryAfter && { retryAfter }),
    },
  }
}

function header(headers: Dispatcher.ResponseData['headers'], name: string): string {
  const value = headers[name]
  return (Array.isArray(value) ? value[0] : value) ?? ''
}

function toOutboundError(error: unknown, signal: AbortSignal): OutboundError | AppError {
  // What is aborted fails in many ways; why it was aborted is what counts.
  const failure: unknown = signal.aborted ? signal.reason : error
  if (failure instanceof OutboundError || failure instanceof AppError) return failure
  if (signal.aborted || error instanceof errors.ConnectTimeoutError) {
    return new OutboundError('timeout')
  }
  const isMalformed =
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  // The parser's error holds what it could not parse, which must not reach a log.
  if (isMalformed) return new OutboundError('bad_response')
  return new OutboundError('unreachable', { cause: error })
}
