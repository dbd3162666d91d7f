import { KINDS } from '../../db/local-store.ts'

// JSON schemas for the bodies that edges post. The types are in `clicks/edge/wire.ts`.

const textSchema = { type: 'string', format: 'text', maxLength: 2000 }
const wholeNumberSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const labelSchema = { type: 'string', nullable: true, format: 'text', maxLength: 253 }
const journalSchema = { type: 'string', pattern: '^[0-9a-f]{24}$' }

/** PostgreSQL 15 accepts numbers of 20 digits, but reads them as a smaller number. */
const NUMBER = '\\d{1,19}'
const SNAPSHOT = `${NUMBER}:${NUMBER}:(${NUMBER}(,${NUMBER})*)?`

/** Returns the schema of an object whose properties are all required. */
function createObjectSchema(properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties) }
}

export const sourceBody = createObjectSchema({ format: textSchema, baseUrl: textSchema })

export const entriesBody = createObjectSchema({
  format: textSchema,
  kind: { enum: KINDS },
  after: wholeNumberSchema,
  limit: { type: 'integer', minimum: 1, maximum: 2000 },
})

export const changesBody = createObjectSchema({
  format: textSchema,
  source: textSchema,
  since: {
    type: 'string',
    // A snapshot, or `S S' xid id` within a pass: see `Position`.
    pattern: `^${SNAPSHOT}( ${SNAPSHOT} ${NUMBER} ${NUMBER})?$`,
    maxLength: 400_000,
  },
  mayWait: { type: 'boolean' },
})

/** Returns the schema of an object that may also name the edge's installation. */
function createClickSchema(properties: Record<string, object>) {
  const { required, ...schema } = createObjectSchema(properties)
  const installation = { type: 'string', pattern: '^[0-9a-f]{12}$' }
  return { ...schema, properties: { ...schema.properties, installation }, required }
}

export const positionsBody = createClickSchema({ journal: journalSchema })

export const clicksBody = createClickSchema({
  journal: journalSchema,
  moves: {
    type: 'array',
    maxItems: 10_000,
    items: createObjectSchema({
      writer: { type: 'string', pattern: '^[0-9a-z.]{1,100}$' },
      from: wholeNumberSchema,
      to: wholeNumberSchema,
    }),
  },
  kinds: { type: 'array', maxItems: 64, items: textSchema },
  clicks: {
    type: 'array',
    maxItems: 20_000,
    items: {
      type: 'array',
      minItems: 5,
      maxItems: 5,
      // The elements of a `WireClick`: link, time, visitor hash, whether it is a crawler, labels.
      items: [
        { ...wholeNumberSchema, minimum: 1 },
        // The journal stores times before the year 2280.
        { type: 'integer', minimum: 0, maximum: Date.UTC(2280, 0, 1) },
        { type: 'string', pattern: '^-?\\d{1,19}$' },
        { enum: [0, 1] },
        { type: 'array', maxItems: 64, items: labelSchema },
      ],
      additionalItems: false,
    },
  },
})

export const relayBody = createObjectSchema({
  method: { enum: ['GET', 'HEAD', 'POST'] },
  url: { type: 'string', pattern: '^/', maxLength: 64 * 1024 },
  address: textSchema,
  headers: {
    type: 'object',
    additionalProperties: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
  },
  body: { type: 'string' },
})
