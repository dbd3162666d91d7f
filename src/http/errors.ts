import type { FastifyBaseLogger, FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { onceAMinute } from '../concurrency/memo.ts'
import { isReadOnlyError } from '../db/connection-error.ts'
import { convertDatabaseError, isStatementTimeout } from '../db/errors.ts'
import { AppError, type ErrorCode } from '../errors.ts'
import { translate } from '../texts.ts'
import { describeRequest, REQUEST_FAILED } from './logging.ts'

type Outage = 'unreachable' | 'read-only' | 'slow'

type Report = (request: FastifyRequest, error: AppError) => void

const reports = new WeakMap<FastifyBaseLogger, Record<Outage, Report>>()

/** The error codes for Fastify's own errors, by HTTP status. */
const codeByStatus: Record<number, ErrorCode> = {
  400: 'malformed_request',
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
  429: 'rate_limited',
  431: 'headers_too_large',
  503: 'busy',
}

/**
 * Returns the AppError for any value that a request has thrown. Logs unexpected errors and returns
 * `internal` for them, so that clients see no details. Also logs why the database is unavailable.
 */
export function toAppError(error: unknown, request: FastifyRequest): AppError {
  const converted = convertDatabaseError(error)
  if (converted instanceof AppError) {
    if (converted.code === 'database_unavailable') {
      // A retry would take as long. A change, however, usually waited for another one.
      const isTooSlow = request.method === 'GET' && isStatementTimeout(converted.cause)
      reportOutage(isTooSlow ? 'slow' : toOutage(converted.cause), request, converted)
      if (isTooSlow) return new AppError('too_slow', { cause: converted.cause })
    }
    return converted
  }
  if (isFrameworkError(converted)) {
    if (converted.validation) return createValidationError(converted.validation)
    const code = codeByStatus[converted.statusCode ?? 500]
    if (code) return new AppError(code, { cause: converted })
    if (converted.statusCode && converted.statusCode < 500) return new AppError('malformed_request')
  }
  const internal = new AppError('internal')
  if (isDisconnection(converted, request)) return internal
  const facts = describeRequest(request, internal.status)
  request.log.error({ ...facts, err: converted }, REQUEST_FAILED)
  return internal
}

/** Returns whether a reply failed because its client disconnected. No one is there to see it. */
function isDisconnection(error: unknown, { raw }: FastifyRequest): boolean {
  const { code } = error as { code?: string }
  return code === 'ERR_STREAM_PREMATURE_CLOSE' && raw.socket.destroyed
}

function toOutage(cause: unknown): 'read-only' | 'unreachable' {
  return isReadOnlyError(cause) ? 'read-only' : 'unreachable'
}

/** Returns the `Retry-After` header of an error response. With status 503, the default is 2 s. */
export function createErrorHeaders({ code, status, retryAfter }: AppError): Record<string, string> {
  const mayRetry = status === 503 && code !== 'too_slow'
  const seconds = retryAfter ?? (mayRetry ? 2 : undefined)
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

/** Sends a body with the status and the headers of an error. */
export function sendErrorBody(reply: FastifyReply, error: AppError, body: object): FastifyReply {
  return reply
    .code(error.status)
    .headers(createErrorHeaders(error))
    .type('application/json; charset=utf-8')
    .send(body)
}

type ValidationIssue = NonNullable<FastifyError['validation']>[number]

/** Returns the error for a value that fails its schema. */
export function createValidationError(issues: readonly ValidationIssue[]): AppError {
  return new AppError('invalid_input', { message: describeFirstIssue(issues) })
}

/** Describes the first issue, such as `url is required` or `geotarget[0].link must be a string`. */
function describeFirstIssue(issues: readonly ValidationIssue[]): string {
  const issue = findClearestIssue(issues)
  if (!issue) return new AppError('invalid_input').message
  const path = issue.instancePath
    .split('/')
    .slice(1)
    .map((part) => (/^\d+$/.test(part) ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
  const params = issue.params as Record<string, unknown>
  if (issue.keyword === 'required') {
    const name = String(params.missingProperty)
    return `${path ? `${path}.${name}` : name} is required`
  }
  if (issue.keyword === 'additionalProperties') {
    const name = String(params.additionalProperty)
    return `${path ? `${path}.${name}` : name} is not known`
  }
  if (path === '') return translate('en', 'rejections.body_not_object')
  const allowed = params.allowedValues
  if (Array.isArray(allowed)) return `${path} must be one of ${allowed.join(', ')}`
  if (issue.keyword === 'format')
    return `${path} must be ${formats[String(params.format)] ?? 'valid'}`
  if (issue.keyword === 'type') return `${path} must be ${describeType(params.type)}`
  return `${path} ${(issue.message ?? 'is not valid').replace('must NOT', 'must not')}`
}

/**
 * Returns the first issue. Of a union's issues, this is the one of the type that the value has, or
 * else one that names all types.
 */
function findClearestIssue(issues: readonly ValidationIssue[]): ValidationIssue | undefined {
  const [first] = issues
  const position = issues.findIndex(({ keyword }) => keyword === 'anyOf')
  const union = issues[position]
  if (!union || !first) return first
  const options = issues.slice(0, position)
  const isOtherType = ({ keyword, instancePath }: ValidationIssue) =>
    keyword === 'type' && instancePath === union.instancePath
  const closest = options.find((issue) => !isOtherType(issue))
  const types = options.flatMap(({ params }) => params.type as string | string[])
  return closest ?? { ...first, params: { type: types } }
}

const formats: Record<string, string> = {
  text: 'text without NUL characters or broken surrogates',
}

function describeType(type: unknown): string {
  const name = (Array.isArray(type) ? type : [type]).filter((each) => each !== 'null').join(' or ')
  return /^[aeiou]/.test(name) ? `an ${name}` : `a ${name}`
}

function isFrameworkError(error: unknown): error is FastifyError {
  return error instanceof Error && 'statusCode' in error
}

/**
 * Logs a request that failed because of the database, and why. A busy service rejects hundreds of
 * requests a second for one reason, so each kind of outage is logged at most once a minute, with
 * the number of requests that were rejected without a line before.
 */
function reportOutage(outage: Outage, request: FastifyRequest, error: AppError): void {
  const { log } = request
  const own = reports.get(log) ?? {
    unreachable: createReport(log),
    'read-only': createReport(log),
    slow: createReport(log),
  }
  reports.set(log, own)
  own[outage](request, error)
}

function createReport(log: FastifyBaseLogger): Report {
  let unlogged = 0
  const write = onceAMinute((request: FastifyRequest, { status, message, cause }: AppError) => {
    const reason = cause instanceof Error ? cause.message : undefined
    log.warn({ ...describeRequest(request, status), reason, unlogged }, message)
    unlogged = -1
  })
  return (request, error) => {
    write(request, error)
    unlogged += 1
  }
}
