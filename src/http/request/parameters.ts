import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'
import { decodeBody, requireUtf8Escapes } from './body-text.ts'

/** Values by name. If a name is repeated, the last value wins, and the body wins over the query. */
export type Parameters<Name extends string> = Partial<Record<Name, string>>

type Field = readonly [name: string, value: unknown]

/**
 * Returns the named parameters from a request's query and body. The body can be a parsed multipart
 * form, or the bytes of a URL-encoded form or a JSON object. Ignores bodies of other types, and
 * values that are neither text nor numbers.
 *
 * @throws AppError `malformed_request` if the body does not match its type or is not UTF-8,
 *   `unsupported_media_type` if it declares another charset
 */
export function readParameters<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): Parameters<Name> {
  const { body, headers } = request
  requireUtf8Escapes(request.url.replace(/^[^?]*/, ''))
  const query = readQueryParameters(request, names)
  if (request.isMultipart()) return { ...query, ...pick(Object.entries(body ?? {}), names) }
  if (!Buffer.isBuffer(body) || body.length === 0) return query
  try {
    return { ...query, ...pick(readFields(request, headers['content-type'] ?? '', body), names) }
  } catch (cause) {
    if (cause instanceof AppError) throw cause
    throw new AppError('malformed_request', { cause })
  }
}

/** Returns the named parameters from the query. */
export function readQueryParameters<Name extends string>(
  { url }: FastifyRequest,
  names: readonly Name[],
): Parameters<Name> {
  const queryStart = url.indexOf('?')
  return queryStart === -1 ? {} : pick(new URLSearchParams(url.slice(queryStart)), names)
}

function readFields(request: FastifyRequest, type: string, body: Buffer): Iterable<Field> {
  if (/^application\/x-www-form-urlencoded\b/i.test(type)) {
    const text = decodeBody(request, body)
    requireUtf8Escapes(text)
    return new URLSearchParams(text)
  }
  if (!/^application\/json\b/i.test(type)) return []
  const value: unknown = JSON.parse(decodeBody(request, body))
  if (typeof value !== 'object' || value === null)
    throw new TypeError('The JSON body is not an object.')
  return Object.entries(value)
}

function pick<Name extends string>(
  fields: Iterable<Field>,
  names: readonly Name[],
): Parameters<Name> {
  const parameters: Parameters<Name> = {}
  for (const [name, value] of fields) {
    const knownName = names.find((candidate) => candidate === name)
    const isText = typeof value === 'string' || typeof value === 'number'
    if (knownName && isText) parameters[knownName] = String(value)
  }
  return parameters
}
