import { type TProperties, type TSchema, type TString, Type } from '@sinclair/typebox'
import type { FastifyRequest } from 'fastify'
import type { Config } from '../../config.ts'
import { AppError, invalid } from '../../errors.ts'

/** Returns the schema of text that PostgreSQL can store: well-formed Unicode without NUL. */
export const Text = (
  maxLength: number,
  options: { minLength?: number; description?: string } = {},
) => Type.String({ maxLength, format: 'text', ...options })

/**
 * Returns the schema of an optional field that an update can clear. Clients send `""`, which
 * `normalizeBody` replaces with null.
 */
export function Clearable<Schema extends TSchema>(schema: Schema) {
  return Type.Optional(Type.Union([schema, Type.Null()]))
}

/** Returns fields that are all optional. */
export function allOptional<Fields extends TProperties>(fields: Fields) {
  return Type.Partial(Type.Object(fields)).properties
}

/** Returns fields that are all `Clearable`. */
export function allClearable<Fields extends TProperties>(fields: Fields) {
  const entries = Object.entries(fields).map(([name, schema]) => [name, Clearable(schema)])
  return Object.fromEntries(entries) as {
    [Name in keyof Fields]: ReturnType<typeof Clearable<Fields[Name]>>
  }
}

export const ErrorReply = Type.Object(
  { error: Type.Literal(1), message: Type.String() },
  { description: 'The request was rejected; the message gives the reason.' },
)

export const MessageReply = Type.Object({ error: Type.Literal(0), message: Type.String() })

export const Timestamp: TString = Type.String({
  description: 'UTC, YYYY-MM-DD HH:MM:SS',
  pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
})

export const Id = Type.Integer({ minimum: 1 })

const errors = {
  400: ErrorReply,
  401: ErrorReply,
  403: ErrorReply,
  404: ErrorReply,
  405: ErrorReply,
  409: ErrorReply,
  413: ErrorReply,
  414: ErrorReply,
  415: ErrorReply,
  429: ErrorReply,
  500: ErrorReply,
  503: ErrorReply,
}

/**
 * Returns the reply schemas of an operation: its success and the errors common to all operations.
 */
export function addErrorReplies<Success extends TSchema>(success: Success) {
  const description = success.description ?? 'The request was carried out.'
  return { 200: { ...success, description }, ...errors }
}

export const ListQuery = Type.Object({
  limit: Type.Optional(Type.String({ description: 'Results per page, 1 to 1000. Default: 15.' })),
  page: Type.Optional(Type.String({ description: 'Page number, starting at 1.' })),
})

/** Returns the reply schema of a list with its entries under the name `collection`. */
export function createListReply<Entry extends TSchema, Name extends string>(
  collection: Name,
  entry: Entry,
  listError: Config['listError'],
) {
  return Type.Object({
    error: Type.Union([Type.Literal(listError === 'string' ? '0' : 0)]),
    data: Type.Object({
      result: Type.Integer(),
      perpage: Type.Integer(),
      currentpage: Type.Integer(),
      nextpage: Type.Integer(),
      maxpage: Type.Integer(),
      ...({ [collection]: Type.Array(entry) } as Record<
        Name,
        ReturnType<typeof Type.Array<Entry>>
      >),
    }),
  })
}

export type PageRequest = { limit: number; page: number; offset: number }

const DEFAULT_LIMIT = 15
const MAX_LIMIT = 1000

/**
 * Reads `limit` and `page` from the query of a list. Limits above 1000 are reduced to 1000.
 *
 * @throws AppError `invalid_input` for anything but a positive integer
 */
export function readPage(query: { limit?: string; page?: string }): PageRequest {
  const limit = Math.min(readPositive('limit', query.limit, DEFAULT_LIMIT), MAX_LIMIT)
  const page = readPositive('page', query.page, 1)
  return { limit, page, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) }
}

/** Wraps one page of a list in the API's envelope. `total` is the number of entries on all pages. */
export function presentPage<Name extends string, Entry>(
  collection: Name,
  entries: Entry[],
  { limit, page }: PageRequest,
  total: number,
  listError: Config['listError'],
) {
  const maxpage = Math.max(1, Math.ceil(total / limit))
  return {
    error: listError === 'string' ? ('0' as const) : (0 as const),
    data: {
      result: total,
      perpage: limit,
      currentpage: page,
      nextpage: Math.min(page + 1, maxpage),
      maxpage,
      ...({ [collection]: entries } as Record<Name, Entry[]>),
    },
  }
}

function readPositive(field: string, value: string | undefined, defaultValue: number): number {
  if (value === undefined || value === '') return defaultValue
  const number = Number(value)
  if (!/^\d{1,15}$/.test(value) || number < 1) throw invalid(field, 'positive_integer')
  return number
}

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
