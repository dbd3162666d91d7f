import { Type } from '@sinclair/typebox'
import { parseHttpUrl } from '../urls/destination-url.ts'
import type { Field, FieldColumns, FieldRules } from './field.ts'
import {
  createTextSchema,
  createUrlSchema,
  defineDomainFlagField,
  defineFlagField,
  defineMomentField,
  defineNumberField,
  defineTextField,
} from './field-kinds.ts'
import { parametersField, rulesField, splitField, typeField } from './fields/special-fields.ts'
import { requireYear } from './rules/expiry.ts'
import {
  MAX_CLICKS,
  MAX_DESCRIPTION,
  MAX_PASSWORD,
  MAX_TITLE,
  MAX_URL,
  requireBoundedText,
} from './rules/lengths.ts'
import { defineTargetsField } from './targets.ts'

/** Legacy clients do not know these fields, so responses include them only if they are set. */
const IF_SET = { optional: true, present: (value: unknown) => value ?? undefined }

const fields = {
  url: {
    kind: 'text',
    columns: { url: '' },
    api: 'url',
    schema: createUrlSchema('The destination URL, http or https, up to 8,192 bytes.'),
    read: async (value, { checkUrl }) => ({ url: await checkUrl('url', value ?? '') }),
    readStored: ({ url }) => url,
    file: {
      name: 'url',
      csv: {
        header: 'Long URL',
        names:
          'longurl destinationurl destination originalurl target targeturl url location redirecturl longlink fulllink fullurl originallink destinationlink',
      },
    },
    form: { name: 'url', input: 'url', section: 'destination' },
  } satisfies Field<string>,

  type: typeField,

  rules: rulesField,

  geoTargets: defineTargetsField('geoTargets', 'country'),
  deviceTargets: defineTargetsField('deviceTargets', 'device'),
  languageTargets: defineTargetsField('languageTargets', 'language'),

  split: splitField,

  startsAt: {
    ...defineMomentField('startsAt', 'starts_at', {
      api: 'startsAt',
      description:
        'YYYY-MM-DD HH:MM:SS, or YYYY-MM-DD for the start of that day, UTC. Also ISO 8601.',
      details: { name: 'startsAt', ...IF_SET },
      file: {
        name: 'startsAt',
        csv: {
          header: 'Starts at',
          names: 'startsat startdate startat validsince validfrom activefrom',
        },
      },
      form: { name: 'starts', input: 'moment', section: 'lifetime' },
    }),
    read: (value: string | Date | null, { readStart }: FieldRules) => ({
      starts_at: requireYear(
        'startsAt',
        typeof value === 'string' ? readStart('startsAt', value) : value,
      ),
    }),
  },

  expiresAt: {
    ...defineMomentField('expiresAt', 'expires_at', {
      api: 'expiry',
      description:
        'YYYY-MM-DD HH:MM:SS, or YYYY-MM-DD for the end of that day, UTC. Also ISO 8601.',
      details: { name: 'expiry' },
      file: {
        name: 'expiresAt',
        csv: {
          header: 'Expires at',
          names:
            'expiresat expires expiry expirydate expirationdate expiration validuntil expirein expiresin expireat expiredat expirationat expireson expiresdate expireatdatetime expirydatetime expiredate expiretime expirytime expirationtime validto activeuntil enddate endsat',
        },
      },
      form: { name: 'expires', input: 'moment', section: 'lifetime' },
    }),
    legacy: 'expiry_date',
  },

  maxClicks: defineNumberField('maxClicks', 'max_clicks', {
    api: 'maxClicks',
    min: 1,
    max: MAX_CLICKS,
    description: 'The number of clicks after which the link expires.',
    details: { name: 'maxClicks', ...IF_SET },
    file: {
      name: 'maxClicks',
      csv: {
        header: 'Max clicks',
        names:
          'maxclicks maxvisits maxhits clickslimit clicklimit visitslimit visitlimit expireatviews',
      },
    },
    form: { name: 'maxClicks', input: 'number', section: 'lifetime' },
  }),

  expiredUrl: {
    ...defineTextField('expiredUrl', 'expired_url', {
      api: 'expiredUrl',
      max: MAX_URL,
      details: { name: 'expiredUrl', ...IF_SET },
      file: {
        name: 'expiredUrl',
        csv: { header: 'Expired URL', names: 'expiredurl expirationurl' },
      },
      form: { name: 'expiredUrl', input: 'url', section: 'lifetime' },
    }),
    schema: createUrlSchema(
      'Redirect URL for visitors once the link has expired or has no clicks left.',
    ),
    read: async (value: string | null, { checkUrl }: FieldRules) => ({
      expired_url: value ? await checkUrl('expiredUrl', value) : null,
    }),
  },

  metaTitle: defineTextField('metaTitle', 'meta_title', {
    api: 'metatitle',
    max: MAX_TITLE,
    file: { name: 'title', csv: { header: 'Title', names: 'title name linktitle metatitle' } },
    form: { name: 'metaTitle', input: 'text', section: 'card' },
  }),

  metaDescription: defineTextField('metaDescription', 'meta_description', {
    api: 'metadescription',
    max: MAX_DESCRIPTION,
    file: {
      name: 'description',
      csv: { header: 'Description', names: 'description metadescription' },
    },
    form: { name: 'metaDescription', input: 'multiline', section: 'card' },
  }),

  metaImage: {
    ...defineTextField('metaImage', 'meta_image', {
      api: 'metaimage',
      max: MAX_URL,
      description: 'URL of a JPEG or PNG image.',
      file: { name: 'image' },
      form: { name: 'metaImage', input: 'url', section: 'card' },
    }),
    read: (value: string | null) => ({
      meta_image: value ? parseHttpUrl('metaImage', value).href : null,
    }),
  },

  parameters: parametersField,

  forwardQuery: defineDomainFlagField('forwardQuery', 'forward_query', {
    api: 'forwardQuery',
    description:
      'Whether to add the visitor’s query string to the destination. Default: the domain’s setting.',
    details: { name: 'forwardQuery', ...IF_SET },
    file: {
      name: 'forwardQuery',
      csv: {
        header: 'Forward query',
        names: 'forwardquery forwardparameters forwardparams paramforwarding redirectwithquery',
      },
    },
    form: { name: 'forwardQuery', input: 'domainFlag', section: 'parameters' },
  }),

  forwardPath: defineDomainFlagField('forwardPath', 'forward_path', {
    api: 'forwardPath',
    description:
      'Whether to add the path after the alias to the destination. Default: the domain’s setting.',
    details: { name: 'forwardPath', ...IF_SET },
    file: { name: 'forwardPath', csv: { header: 'Forward path', names: 'forwardpath' } },
    form: { name: 'forwardPath', input: 'domainFlag', section: 'parameters' },
  }),

  confirm: defineFlagField('confirm', 'confirm', {
    api: 'confirm',
    description:
      'Whether visitors get a page with a button first. Only pressing it counts and uses a click.',
    details: { name: 'confirm', optional: true, present: (value) => value || undefined },
    file: {
      name: 'confirm',
      csv: { header: 'Confirm', names: 'confirm' },
      write: ({ confirm }) => confirm || null,
    },
    form: { name: 'confirm', input: 'checkbox', section: 'lifetime' },
  }),

  // Comes last, so that no password is hashed for a link that another field rejects.
  password: {
    kind: 'text',
    columns: { password_hash: null },
    api: 'password',
    legacy: 'password',
    schema: createTextSchema(MAX_PASSWORD, 'The password that visitors must enter.'),
    async read(value, { hashPassword }) {
      const password = requireBoundedText('password', value ?? '', MAX_PASSWORD)
      return { password_hash: password ? await hashPassword(password) : null }
    },
    readStored: (columns) => columns.password_hash !== null,
    details: { name: 'password', schema: Type.Boolean() },
    file: {
      name: 'password',
      csv: { names: 'passwordhash password' },
      write: (columns) => columns.password_hash,
    },
  } satisfies Field<string, boolean>,
}

type Fields = typeof fields
export type FieldName = keyof Fields
type ValueOf<F> = F extends { read(value: infer Value, ...others: never[]): unknown }
  ? Exclude<Value, null>
  : never
type StoredOf<F> = F extends { readStored(columns: never): infer Stored } ? Stored : never

/** All fields stored in the link's own row, in the order of validation. */
export const FIELDS = fields as unknown as Readonly<Record<FieldName, Field<unknown>>>
export const FIELD_NAMES = Object.keys(fields) as FieldName[]

/** The fields in the console's link form. */
export type FormFieldName = {
  [Name in FieldName]: Fields[Name] extends { form: object } ? Name : never
}[FieldName]

/** The fields with a column in CSV files. */
export type CsvFieldName = {
  [Name in FieldName]: Fields[Name] extends { file: { csv: object } } ? Name : never
}[FieldName]

/** The fields of a link as a client sends them. */
export type FieldInput = { [Name in FieldName]?: ValueOf<Fields[Name]> | null | undefined }
/** The fields of a stored link. */
export type FieldValues = { [Name in FieldName]: StoredOf<Fields[Name]> }

type DeclaredColumn = { [Name in FieldName]: keyof Fields[Name]['columns'] }[FieldName]
/**
 * The columns of a link without any fields set. A column that no field declares is a type error.
 */
export const COLUMN_DEFAULTS: Record<DeclaredColumn, unknown> extends Record<
  keyof FieldColumns,
  unknown
>
  ? FieldColumns
  : never = Object.assign({}, ...Object.values(fields).map(({ columns }) => columns))
export const COLUMN_NAMES = Object.keys(COLUMN_DEFAULTS) as (keyof FieldColumns)[]

export const MOMENT_COLUMNS = Object.values(FIELDS).flatMap(({ kind, columns }) =>
  kind === 'moment' ? (Object.keys(columns) as (keyof FieldColumns)[]) : [],
)

/** Returns the values of the fields stored in the columns. */
export function readFieldValues(columns: FieldColumns): FieldValues {
  const values = FIELD_NAMES.map((name) => [name, FIELDS[name].readStored(columns)])
  return Object.fromEntries(values)
}
