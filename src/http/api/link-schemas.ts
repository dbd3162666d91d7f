import { type TSchema, Type } from '@sinclair/typebox'
import { FIELDS } from '../../links/fields.ts'
import { MAX_PIXELS } from '../../links/rules/lengths.ts'
import { Clearable, Id, Text, Timestamp } from './schemas.ts'

const { url, ...own } = FIELDS

/** All that a request may say of a link beside its destination, by the API's names. */
const fields: Readonly<Record<string, TSchema>> = {
  custom: Text(256, { description: 'alias instead of a random one; may be percent-encoded' }),
  ...Object.fromEntries(Object.values(own).map(({ api, schema }) => [api, schema])),
  domain: Text(300, { description: 'a branded domain of the account' }),
  pixels: Type.Array(Id, {
    maxItems: MAX_PIXELS,
    description: 'ids of the account’s pixels to fire',
  }),
  tags: Type.Array(Text(256), {
    maxItems: 100,
    description: 'up to 20 of 1 to 50 characters each, compared without case',
  }),
}

function mapped(change: (schema: TSchema) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(Object.entries(fields).map(([name, schema]) => [name, change(schema)]))
}

export const LinkCreate = Type.Object(
  { url: url.schema, ...mapped(Type.Optional) },
  { examples: [{ url: 'https://example.com/a/long/page' }] },
)

export const LinkUpdate = Type.Object(
  { url: url.schema, ...mapped(Clearable) },
  {
    description: 'Fields that are absent or null stay as they are; "" and [] clear.',
    examples: [{ url: 'https://example.com/another/page', metatitle: 'A page' }],
  },
)

export const LinkEntry = Type.Object({
  id: Id,
  alias: Type.String(),
  shorturl: Type.String(),
  longurl: Type.String(),
  clicks: Type.Integer(),
  title: Type.String(),
  description: Type.String(),
  tags: Type.Array(Type.String()),
  date: Timestamp,
})

/** A stored rule, in the form that clients may send back. */
const RuleReply = Type.Object({
  when: Type.Record(Type.String(), Type.Unknown()),
  to: Type.String(),
})

const TargetMap = Type.Record(Type.String(), Type.String())

export const LinkDetails = Type.Object({
  id: Id,
  alias: Type.String(),
  shorturl: Type.String(),
  longurl: Type.String(),
  title: Type.String(),
  description: Type.String(),
  location: TargetMap,
  device: TargetMap,
  language: TargetMap,
  rules: Type.Optional(Type.Array(RuleReply, { description: 'absent if there are none' })),
  parameters: Type.Array(Type.Object({ name: Type.String(), value: Type.String() })),
  type: Type.String(),
  tags: Type.Array(Type.String()),
  password: Type.Boolean(),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  expiry: Type.Union([Timestamp, Type.Null()]),
  date: Timestamp,
})
