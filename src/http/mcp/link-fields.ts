import { type TSchema, Type } from '@sinclair/typebox'
import type { FieldNames } from '../../errors.ts'
import { FIELD_NAMES, FIELDS, type FieldName } from '../../links/fields.ts'
import {
  type Link,
  type LinkEntry,
  type LinkInput,
  type LinkParts,
  titleOf,
  toFieldValues,
} from '../../links/link.ts'
import { CONDITION_NAMES } from '../../links/rules/conditions.ts'
import { MAX_RULES } from '../../links/rules/rule.ts'
import { formatTimestamp } from '../timestamp.ts'

/** The names of arguments that differ from those of fields. */
export const argumentNames = {
  metaTitle: 'title',
  metaDescription: 'description',
  metaImage: 'image',
  q: 'query',
} satisfies FieldNames

/**
 * Fields that no tool has: the target lists are views of the rules, `type` needs the ids of pages, and
 * a password can only be set when a link is created, because no version has it to undo a change.
 */
const OMITTED: ReadonlySet<FieldName> = new Set([
  'url',
  'type',
  'geoTargets',
  'deviceTargets',
  'languageTargets',
  'password',
])
const OFFERED = FIELD_NAMES.filter((name) => !OMITTED.has(name))

/** The service validates the conditions, whose schemas would take a third of the list of tools. */
const Rules = Type.Array(
  Type.Object({ when: Type.Record(Type.String(), Type.Unknown()), to: Type.String() }),
  {
    maxItems: MAX_RULES,
    description:
      'Targeting: the first rule whose conditions are all met sends visitors to its `to`. ' +
      `Conditions: ${CONDITION_NAMES.join(', ')}; each has a name or a list of names, such as {"country": ["DE", "AT"]}.`,
  },
)

const Url = FIELDS.url.schema

const options: Readonly<Record<string, TSchema>> = {
  alias: Type.String({
    maxLength: 2000,
    format: 'text',
    description: 'The last part of the short URL. Default: a random one.',
  }),
  domain: Type.String({
    maxLength: 300,
    format: 'text',
    description: 'A branded domain of the account. Default: the service’s own host.',
  }),
  tags: Type.Array(Type.String({ maxLength: 512, format: 'text' }), {
    maxItems: 100,
    description: 'Up to 20 tags of 1 to 50 characters.',
  }),
  ...Object.fromEntries(
    OFFERED.map((name) => [toArgument(name), name === 'rules' ? Rules : FIELDS[name].schema]),
  ),
}

/** The arguments that describe a new link. */
export const NewLink = Type.Object(
  {
    url: Url,
    ...mapOptions((schema) => Type.Optional(schema)),
    password: Type.Optional(FIELDS.password.schema),
  },
  { additionalProperties: false },
)

/** The arguments that change a link. Null clears a field. */
export const LinkChanges = {
  url: Type.Optional(Url),
  ...mapOptions((schema) => Type.Optional(Type.Union([schema, Type.Null()]))),
}

function mapOptions(convert: (schema: TSchema) => TSchema): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(options).map(([name, schema]) => [name, convert(schema)]),
  )
}

/** Returns the name of a field's argument. */
function toArgument(field: string): string {
  return Object.hasOwn(argumentNames, field)
    ? argumentNames[field as keyof typeof argumentNames]
    : field
}

/** Converts validated arguments to the input of services. */
export function toLinkInput(values: Readonly<Record<string, unknown>>): LinkInput {
  const fields = FIELD_NAMES.map((name) => [name, values[toArgument(name)]])
  const { alias, domain, tags } = values
  return { ...Object.fromEntries(fields), alias, domain, tags } as LinkInput
}

const argumentByApiName = new Map<string, string>([
  ...FIELD_NAMES.map((name) => [FIELDS[name].api, toArgument(name)] as const),
  ['custom', 'alias'],
])

/** Returns the name of the argument for a field in versions. */
export function toArgumentOfVersion(apiName: string): string {
  return argumentByApiName.get(apiName) ?? apiName
}

/** Returns what every result says of a link. */
export function presentLink(link: LinkEntry) {
  return {
    id: link.id,
    shortUrl: link.shortUrl,
    title: titleOf(link),
    url: link.url,
    status: link.status,
    clicks: link.clicks,
    ...(link.tags.length > 0 && { tags: [...link.tags] }),
    ...(link.block && { disabledByAdmin: true }),
    ...(link.archivedAt && { archived: true }),
    ...(link.broken && { broken: link.broken.problem }),
    created: formatTimestamp(link.createdAt),
  }
}

/** Returns all fields of a link that are set, by the names of arguments. */
export function presentDetails({ domain, ...link }: Link & LinkParts): Record<string, unknown> {
  const values = toFieldValues(link)
  const set = OFFERED.map((name) => [toArgument(name), toPlain(values[name])] as const).filter(
    ([, value]) => !isEmpty(value),
  )
  return {
    ...presentLink(link),
    alias: link.alias,
    ...(domain !== null && { domain }),
    ...Object.fromEntries(set),
    ...(link.hasPassword && { passwordProtected: true }),
    ...(link.lastClickAt && { lastClick: formatTimestamp(link.lastClickAt) }),
  }
}

function toPlain(value: unknown): unknown {
  return value instanceof Date ? formatTimestamp(value) : value
}

function isEmpty(value: unknown): boolean {
  return value === null || value === false || (Array.isArray(value) && value.length === 0)
}

/** Returns one line about a link. */
export function formatLink({
  id,
  shortUrl,
  title,
}: {
  id: number
  shortUrl: string
  title: string | null
}) {
  return `${id} ${shortUrl}${title ? ` “${title}”` : ''}`
}
