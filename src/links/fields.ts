import { type TSchema, Type } from '@sinclair/typebox'
import type { ParameterRow } from '../db/schema/links.ts'
import { invalid } from '../errors.ts'
import { parseTargetUrl } from '../target-url.ts'
import { countryCode } from '../visitors/country-names.ts'
import { languageTarget } from '../visitors/language.ts'
import { deviceTarget } from '../visitors/user-agent.ts'
import type { LinkColumns } from './insert-links.queries.ts'
import { type LinkType, parseLinkType } from './link-type.ts'
import { CONDITIONS } from './rules/conditions.ts'
import { parseExpiry } from './rules/expiry.ts'
import {
  boundedText,
  MAX_DESCRIPTION,
  MAX_PARAMETER_NAME,
  MAX_PARAMETER_VALUE,
  MAX_PARAMETERS,
  MAX_PASSWORD,
  MAX_TITLE,
} from './rules/lengths.ts'
import {
  type Form,
  MAX_RULES,
  type Rule,
  type RuleInput,
  readRules,
  replaceTargets,
} from './rules/rule.ts'
import { MAX_TARGETS, parseTargets } from './targets.ts'

/** What the fields need to know beside their values. Creations, updates, and imports each provide it. */
export type FieldRules = {
  now: Date
  /** The rules that the link has. */
  current: readonly Rule[]
  /** Rules that one request may give. */
  maxRules: number
  /** Returns a destination in its stored form. */
  checkUrl: (field: string, url: string) => string | Promise<string>
  /** Throws if the account has no such splash page or overlay. */
  checkPage: (type: LinkType) => Promise<void> | void
  hashPassword: (password: string) => string | Promise<string>
}

type Columns = Partial<LinkColumns>

type Field<Value> = {
  /** The name in the JSON API. */
  api: string
  /** The value in requests of the JSON API. */
  schema: TSchema
  /**
   * Reads a value into columns; null clears it. `columns` are those of the fields before it. Throws AppError
   * `invalid_input` naming the field.
   */
  read(value: Value | null, rules: FieldRules, columns: Columns): Columns | Promise<Columns>
}

type Parameter = { name?: string | null | undefined; value?: string | null | undefined }

/** Text that PostgreSQL can hold: well-formed and without NUL. */
const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, format: 'text', ...(description !== undefined && { description }) })
const url = (description: string) =>
  Type.String({ maxLength: 32_768, minLength: 1, format: 'text', description })

/** A list of targets: the rules of one form. */
function targets<Name extends string>(
  field: string,
  {
    api,
    name,
    form,
    canonical,
    schema,
    to,
  }: {
    api: string
    name: Name
    form: Form
    canonical: (name: string) => string | undefined
    schema: TSchema
    to: string
  },
): Field<readonly (Record<Name, string> & { link: string })[]> {
  return {
    api,
    schema: Type.Array(Type.Object({ [name]: schema, link: url(to) }), { maxItems: MAX_TARGETS }),
    async read(value, { current, checkUrl }, { rules }) {
      const read = { field, nameField: name, canonical, checkUrl }
      const rows = await parseTargets(value ?? [], read)
      return { rules: replaceTargets((rules as Rule[] | undefined) ?? current, form, rows) }
    },
  }
}

const fields = {
  url: {
    api: 'url',
    schema: url('the destination URL: http or https, up to 8,192 bytes'),
    read: async (value, { checkUrl }) => ({ url: await checkUrl('url', value ?? '') }),
  } satisfies Field<string>,

  type: {
    api: 'type',
    schema: text(64, 'direct, frame or splash; 12 for splash page 12; overlay-12 for overlay 12'),
    async read(value, { checkPage }) {
      const type = parseLinkType(value ?? 'direct')
      await checkPage(type)
      return { redirect: type.redirect, splash_id: type.splashId, overlay_id: type.overlayId }
    },
  } satisfies Field<string>,

  rules: {
    api: 'rules',
    schema: Type.Array(
      Type.Object({
        when: Type.Object(
          Object.fromEntries(
            Object.entries(CONDITIONS).map(([name, { schema }]) => [name, Type.Optional(schema)]),
          ),
        ),
        to: url('where visitors go for whom all conditions hold'),
      }),
      {
        maxItems: MAX_RULES,
        description:
          'the first rule whose conditions all hold wins; replaces the three target lists',
      },
    ),
    async read(value, { maxRules, checkUrl }) {
      return { rules: await readRules(value ?? [], { max: maxRules, checkUrl }) }
    },
  } satisfies Field<readonly RuleInput[]>,

  geoTargets: targets('geoTargets', {
    ...{ api: 'geotarget', name: 'location', form: 'country', canonical: countryCode },
    schema: CONDITIONS.country.schema,
    to: 'target for visitors from there',
  }),

  deviceTargets: targets('deviceTargets', {
    ...{ api: 'devicetarget', name: 'device', form: 'device', canonical: deviceTarget },
    schema: CONDITIONS.device.schema,
    to: 'target for visitors with it',
  }),

  languageTargets: targets('languageTargets', {
    ...{ api: 'languagetarget', name: 'language', form: 'language', canonical: languageTarget },
    schema: CONDITIONS.language.schema,
    to: 'target for visitors who read it',
  }),

  expiresAt: {
    api: 'expiry',
    schema: text(19, 'YYYY-MM-DD HH:MM:SS, or YYYY-MM-DD for the end of that day, UTC'),
    // A date was read already, and may have passed.
    read: (value, { now }) => ({
      expires_at: typeof value === 'string' ? parseExpiry('expiresAt', value, now) : value,
    }),
  } satisfies Field<string | Date>,

  metaTitle: {
    api: 'metatitle',
    schema: text(MAX_TITLE),
    read: (value) => ({ meta_title: value && boundedText('metaTitle', value, MAX_TITLE) }),
  } satisfies Field<string>,

  metaDescription: {
    api: 'metadescription',
    schema: text(MAX_DESCRIPTION),
    read: (value) => ({
      meta_description: value && boundedText('metaDescription', value, MAX_DESCRIPTION),
    }),
  } satisfies Field<string>,

  metaImage: {
    api: 'metaimage',
    schema: text(8192, 'URL of a jpg or png image'),
    read: (value) => ({ meta_image: value ? parseTargetUrl('metaImage', value).href : null }),
  } satisfies Field<string>,

  parameters: {
    api: 'parameters',
    schema: Type.Array(
      Type.Object({
        name: Type.Optional(Type.Union([text(MAX_PARAMETER_NAME), Type.Null()])),
        value: Type.Optional(Type.Union([text(MAX_PARAMETER_VALUE), Type.Null()])),
      }),
      {
        maxItems: MAX_PARAMETERS,
        description: 'appended to the target; entries without a name are skipped',
      },
    ),
    read: (value) => ({ parameters: readParameters(value ?? []) }),
  } satisfies Field<readonly Parameter[]>,

  // Last, so that nothing is hashed for a link that another field rejects.
  password: {
    api: 'password',
    schema: text(MAX_PASSWORD, 'visitors are asked for it'),
    async read(value, { hashPassword }) {
      const password = boundedText('password', value ?? '', MAX_PASSWORD)
      return { password_hash: password ? await hashPassword(password) : null }
    },
  } satisfies Field<string>,
}

/** Every field of a link that is stored in its own row, in the order in which they are read. */
export const FIELDS: {
  [Name in keyof typeof fields]: Field<ValueOf<(typeof fields)[Name]>>
} = fields

type ValueOf<F> = F extends { read(value: infer Value, ...others: never[]): unknown }
  ? Exclude<Value, null>
  : never

export type FieldName = keyof typeof fields
export const FIELD_NAMES = Object.keys(fields) as FieldName[]

/** What a client asks of the fields, as it was sent. */
export type FieldInput = {
  [Name in FieldName]?: ValueOf<(typeof fields)[Name]> | null | undefined
}

/**
 * Applies the rules of new links to the given fields and returns their columns; absent fields give none.
 * Throws AppError `invalid_input` naming the first wrong field.
 */
export async function readFields(input: FieldInput, rules: FieldRules): Promise<Columns> {
  const columns: Columns = {}
  for (const name of FIELD_NAMES) {
    const value = input[name]
    if (value === undefined) continue
    const result = (FIELDS[name] as Field<unknown>).read(value, rules, columns)
    // Most fields need no promise, which an import of a million links would notice.
    Object.assign(columns, result instanceof Promise ? await result : result)
  }
  return columns
}

/** Entries without a name are skipped. */
function readParameters(parameters: readonly Parameter[]): ParameterRow[] {
  if (parameters.length > MAX_PARAMETERS) {
    throw invalid('parameters', `must have at most ${MAX_PARAMETERS} entries`)
  }
  const read = parameters.map(({ name, value }, index) => ({
    name: boundedText(`parameters[${index}].name`, name ?? '', MAX_PARAMETER_NAME),
    value: boundedText(`parameters[${index}].value`, value ?? '', MAX_PARAMETER_VALUE),
  }))
  return read.filter(({ name }) => name !== '')
}
