import type { ParameterRow } from '../db/schema/links.ts'
import { invalid } from '../errors.ts'
import { parseTargetUrl } from '../target-url.ts'
import { countryCode } from '../visitors/country-names.ts'
import { languageTarget } from '../visitors/language.ts'
import { deviceTarget } from '../visitors/user-agent.ts'
import type { LinkColumns } from './insert-links.queries.ts'
import { type LinkType, parseLinkType } from './link-type.ts'
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
import { parseTargets } from './targets.ts'

/** What the fields need to know beside their values. Creations, updates, and imports each provide it. */
export type FieldRules = {
  now: Date
  /** Returns a destination in its stored form. */
  checkUrl: (field: string, url: string) => string | Promise<string>
  /** Throws if the account has no such splash page or overlay. */
  checkPage: (type: LinkType) => Promise<void> | void
  hashPassword: (password: string) => string | Promise<string>
}

type Columns = Partial<LinkColumns>

/** Reads a field into columns; null clears it. Throws `invalid_input` naming the field. */
type Read<Value> = (value: Value | null, rules: FieldRules) => Columns | Promise<Columns>

type Parameter = { name?: string | null | undefined; value?: string | null | undefined }

/** The rules of every field of a link that is stored in its own row, in the order of their checks. */
export const FIELDS = {
  url: (async (value, { checkUrl }) => ({
    url: await checkUrl('url', value ?? ''),
  })) as Read<string>,

  type: (async (value, { checkPage }) => {
    const type = parseLinkType(value ?? 'direct')
    await checkPage(type)
    return { redirect: type.redirect, splash_id: type.splashId, overlay_id: type.overlayId }
  }) as Read<string>,

  geoTargets: (async (value, { checkUrl }) => ({
    geo_targets: await parseTargets(value ?? [], {
      ...{ field: 'geoTargets', nameField: 'location', canonical: countryCode, checkUrl },
    }),
  })) as Read<readonly { location: string; link: string }[]>,

  deviceTargets: (async (value, { checkUrl }) => ({
    device_targets: await parseTargets(value ?? [], {
      ...{ field: 'deviceTargets', nameField: 'device', canonical: deviceTarget, checkUrl },
    }),
  })) as Read<readonly { device: string; link: string }[]>,

  languageTargets: (async (value, { checkUrl }) => ({
    language_targets: await parseTargets(value ?? [], {
      ...{ field: 'languageTargets', nameField: 'language', canonical: languageTarget, checkUrl },
    }),
  })) as Read<readonly { language: string; link: string }[]>,

  /** A date was read already, and may have passed. */
  expiresAt: ((value, { now }) => ({
    expires_at: typeof value === 'string' ? parseExpiry('expiresAt', value, now) : value,
  })) as Read<string | Date>,

  metaTitle: ((value) => ({
    meta_title: value && boundedText('metaTitle', value, MAX_TITLE),
  })) as Read<string>,

  metaDescription: ((value) => ({
    meta_description: value && boundedText('metaDescription', value, MAX_DESCRIPTION),
  })) as Read<string>,

  metaImage: ((value) => ({
    meta_image: value ? parseTargetUrl('metaImage', value).href : null,
  })) as Read<string>,

  parameters: ((value) => ({ parameters: readParameters(value ?? []) })) as Read<
    readonly Parameter[]
  >,

  password: (async (value, { hashPassword }) => {
    const text = boundedText('password', value ?? '', MAX_PASSWORD)
    return { password_hash: text ? await hashPassword(text) : null }
  }) as Read<string>,
}

type InputOf<Field> = Field extends Read<infer Value> ? Value : never
export type FieldInput = {
  [Name in keyof typeof FIELDS]?: InputOf<(typeof FIELDS)[Name]> | null | undefined
}

/**
 * Applies the rules of new links to the given fields and returns their columns; absent fields give none.
 * Throws `invalid_input` naming the first wrong field.
 */
export async function readFields(input: FieldInput, rules: FieldRules): Promise<Columns> {
  const columns: Columns = {}
  for (const name of FIELD_NAMES) {
    const value = input[name]
    if (value === undefined) continue
    const read = FIELDS[name] as Read<unknown>
    const result = read(value, rules)
    // Most fields need no promise, which an import of a million links would notice.
    Object.assign(columns, result instanceof Promise ? await result : result)
  }
  return columns
}

const FIELD_NAMES = Object.keys(FIELDS) as (keyof typeof FIELDS)[]

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
