import type { FastifyRequest } from 'fastify'
import { AppError } from '../../errors.ts'

type Mode = 'create' | 'update'
type FieldSchema = { type?: unknown; anyOf?: { type?: unknown }[] }
type ObjectSchema = { properties?: Record<string, object>; required?: string[] }

/** Returns the hook that applies `normalizeFields` to a route's body before validation. */
export function normalizeBody(mode: Mode) {
  return async function normalize(request: FastifyRequest): Promise<void> {
    const schema = request.routeOptions.schema?.body as ObjectSchema | undefined
    if (schema) request.body = normalizeFields(mode, schema, request.body)
  }
}

/**
 * Returns the fields of `body` that the schema defines. Legacy clients send `null`, `""` or `false`
 * for a field without a value. These fields are removed, except `false` for a boolean field. When
 * updating, a missing field keeps its stored value, and `""` clears an optional field: the handler
 * receives null.
 *
 * @throws AppError `invalid_input` if `body` is not an object
 */
export function normalizeFields(mode: Mode, schema: ObjectSchema, body: unknown): object {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw new AppError('invalid_input', { text: 'rejections.body_not_object' })
  }
  const { properties = {}, required = [] } = schema
  const fields: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(properties)) {
    const value = Object.hasOwn(body, name) ? (body as Record<string, unknown>)[name] : undefined
    if (value === undefined || value === null) continue
    if (value === false && !isBoolean(property)) continue
    if (value !== '') fields[name] = value
    else if (mode === 'update' && !required.includes(name)) fields[name] = null
  }
  return fields
}

/** Returns whether a schema accepts a boolean, possibly among other types. */
function isBoolean(schema: object): boolean {
  const { type, anyOf = [] } = schema as FieldSchema
  return type === 'boolean' || anyOf.some((each) => each.type === 'boolean')
}
