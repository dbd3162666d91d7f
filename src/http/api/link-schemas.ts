import { type TSchema, Type } from '@sinclair/typebox'
import { PROBLEMS } from '../../links/check/verdict.ts'
import type { Field } from '../../links/field.ts'
import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'
import {
  type Link,
  type LinkEntry as ListedLink,
  titleOf,
  toFieldValues,
} from '../../links/link.ts'
import { MAX_PIXELS } from '../../links/rules/lengths.ts'
import { formatTimestamp } from '../timestamp.ts'
import { allClearable, allOptional, Id, Text, Timestamp } from './schemas.ts'

const { url, ...otherFields } = FIELDS

/** The link fields of requests except the destination, by API name. */
const fields: Readonly<Record<string, TSchema>> = {
  custom: Text(2000, {
    description: 'The alias, which may be percent-encoded. Default: a random one.',
  }),
  ...Object.fromEntries(Object.values(otherFields).map(({ api, schema }) => [api, schema])),
  domain: Text(300, { description: 'A branded domain of the account.' }),
  pixels: Type.Array(Id, {
    maxItems: MAX_PIXELS,
    description: 'IDs of the account’s pixels to fire.',
  }),
  tags: Type.Array(Text(512), {
    maxItems: 100,
    description: 'Up to 20 tags of 1 to 50 characters, compared ignoring case.',
  }),
}

export const LinkCreate = Type.Object(
  { url: url.schema, ...allOptional(fields) },
  { examples: [{ url: 'https://example.com/a/long/page' }] },
)

export const LinkUpdate = Type.Object(
  { url: url.schema, ...allClearable(fields) },
  {
    description: 'Absent or null fields keep their values; "" or [] clears a field.',
    examples: [{ url: 'https://example.com/another/page', metatitle: 'A page' }],
  },
)

const BrokenReply = Type.Optional(
  Type.Object(
    {
      since: Timestamp,
      problem: Type.Union(PROBLEMS.map((problem) => Type.Literal(problem))),
      destination: Type.String(),
    },
    {
      description:
        'Present only if the daily link check found that this destination does not work.',
    },
  ),
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
  broken: BrokenReply,
})

/** The reply schemas for fields that do not define one, by kind of field. */
const defaultDetails: Readonly<Record<Field<unknown>['kind'], TSchema>> = {
  text: Type.Union([Type.String(), Type.Null()]),
  number: Type.Union([Type.Integer(), Type.Null()]),
  flag: Type.Boolean(),
  moment: Type.Union([Timestamp, Type.Null()]),
  list: Type.Array(Type.Unknown()),
}

const fieldDetails = Object.values(FIELDS).flatMap(({ kind, details }) => {
  if (!details) return []
  const schema = details.schema ?? defaultDetails[kind]
  return [[details.name, details.optional ? Type.Optional(schema) : schema] as const]
})

/** The reply's properties after `description`. */
const details: Readonly<Record<string, TSchema>> = {
  ...Object.fromEntries(fieldDetails),
  tags: Type.Array(Type.String()),
  status: Type.Union([Type.Literal('active'), Type.Literal('disabled')]),
  date: Timestamp,
  broken: BrokenReply,
}

/** The order of the properties that the API specification defines. All others follow. */
const SPECIFIED = [
  'location',
  'device',
  'language',
  'rules',
  'parameters',
  'type',
  'tags',
  'password',
  'status',
  'expiry',
  'date',
]

export const LinkDetails = Type.Object({
  id: Id,
  alias: Type.String(),
  shorturl: Type.String(),
  longurl: Type.String(),
  title: Type.String(),
  description: Type.String(),
  ...Object.fromEntries(
    [...new Set([...SPECIFIED, ...Object.keys(details)])].flatMap((name) => {
      const schema = details[name]
      return schema ? [[name, schema]] : []
    }),
  ),
})

/** Returns a link in the form that API lists contain. */
export function presentLinkEntry(link: ListedLink) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    clicks: link.clicks,
    title: titleOf(link),
    description: link.metaDescription ?? '',
    tags: [...link.tags],
    date: formatTimestamp(link.createdAt),
    ...presentBroken(link),
  }
}

/** Returns the `details` of a link in `GET /api/url/:id`. */
export function presentLinkDetails(link: Link) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    title: titleOf(link),
    description: link.metaDescription ?? '',
    ...presentFields(link),
    tags: [...link.tags],
    status: link.status,
    date: formatTimestamp(link.createdAt),
    ...presentBroken(link),
  }
}

function presentBroken({ broken }: Pick<Link, 'broken'>) {
  return broken && { broken: { ...broken, since: formatTimestamp(broken.since) } }
}

function presentFields(link: Link): Record<string, unknown> {
  const values = toFieldValues(link)
  const entries = FIELD_NAMES.flatMap((name) => {
    const { details } = FIELDS[name]
    if (!details) return []
    const value = details.present ? details.present(values[name]) : values[name]
    return [[details.name, value instanceof Date ? formatTimestamp(value) : value]]
  })
  return Object.fromEntries(entries)
}
