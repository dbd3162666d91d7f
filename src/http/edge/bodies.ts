import { KINDS } from '../../db/local-store.ts'

// JSON schemas for the bodies that edges post.

const text = { type: 'string', format: 'text', maxLength: 2000 }
const wholeNumber = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }
const label = { type: 'string', nullable: true, format: 'text', maxLength: 253 }
const journal = { type: 'string', pattern: '^[0-9a-f]{24}$' }

function requiredObject(properties: Record<string, object>) {
  return { type: 'object', properties, required: Object.keys(properties) }
}

export const sourceBody = requiredObject({ format: text, baseUrl: text })

export const entriesBody = requiredObject({
  format: text,
  kind: { enum: KINDS },
  after: wholeNumber,
  limit: { type: 'integer', minimum: 1, maximum: 2000 },
})

export const changesBody = requiredObject({
  format: text,
  source: text,
  since: {
    type: 'string',
    // PostgreSQL 15 accepts numbers of 20 digits, but reads them as a smaller number.
    pattern: '^\\d{1,19}:\\d{1,19}:(\\d{1,19}(,\\d{1,19})*)?$',
    maxLength: 200_000,
  },
  mayWait: { type: 'boolean' },
})

export const positionsBody = requiredObject({ journal })

export const clicksBody = requiredObject({
  journal,
  moves: {
    type: 'array',
    maxItems: 10_000,
    items: requiredObject({
      writer: { type: 'string', pattern: '^[0-9a-z.]{1,100}$' },
      from: wholeNumber,
      to: wholeNumber,
    }),
  },
  kinds: { type: 'array', maxItems: 64, items: text },
  clicks: {
    type: 'array',
    maxItems: 20_000,
    items: {
      type: 'array',
      minItems: 5,
      maxItems: 5,
      items: [
        { ...wholeNumber, minimum: 1 },
        // Up to the year 2280, as in the journal.
        { type: 'integer', minimum: 0, maximum: Date.UTC(2280, 0, 1) },
        { type: 'string', pattern: '^-?\\d{1,19}$' },
        { enum: [0, 1] },
        { type: 'array', maxItems: 64, items: label },
      ],
      additionalItems: false,
    },
  },
})

export const relayBody = requiredObject({
  method: { enum: ['GET', 'HEAD', 'POST'] },
  url: { type: 'string', pattern: '^/', maxLength: 64 * 1024 },
  address: text,
  headers: {
    type: 'object',
    additionalProperties: {
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' } }],
    },
  },
  body: { type: 'string' },
})
