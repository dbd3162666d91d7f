import { type TSchema, type TString, Type } from '@sinclair/typebox'
import type { Config } from '../../config.ts'

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
