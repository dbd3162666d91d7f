import { type AppError, checkAll, invalid } from '../../../errors.ts'
import type { FormField } from '../../../links/field.ts'
import {
  COLUMN_DEFAULTS,
  FIELD_NAMES,
  FIELDS,
  type FormFieldName,
  readFieldValues,
} from '../../../links/fields.ts'
import { type Link, type LinkInput, type LinkParts, toFieldValues } from '../../../links/link.ts'
import { addScheme } from '../../../urls/destination-url.ts'
import { listUtm, splitUtm, UTM_NAMES } from '../../../utm/utm-template.service.ts'
import { formatTimestamp } from '../../timestamp.ts'
import { readFields } from '../shell/send.ts'
import {
  type FormRule,
  findRuleErrorId,
  formatRules,
  listEmptyConditions,
  parseRules,
  readFormRules,
  readTexts,
} from './rules.ts'

/** A row of a list: a parameter, or a variant of a split. */
export type FormRow = { name: string; value: string }

/** The values of the link form. */
export type LinkForm = {
  /** The values of single inputs by name. */
  texts: Readonly<Record<string, string>>
  /** The rows of lists by the first part of their inputs' names. UTM parameters are `texts`. */
  rows: Readonly<Record<string, readonly FormRow[]>>
  rules: readonly FormRule[]
  /** The ids of selected pixels, campaigns and channels. */
  pixels: readonly string[]
  campaigns: readonly string[]
  channels: readonly string[]
}

export const EMPTY_LINK_FORM: LinkForm = {
  texts: {},
  rows: {},
  rules: [],
  pixels: [],
  campaigns: [],
  channels: [],
}

/** A field of `links/fields.ts` that the form has. */
export type LinkField = FormField & { field: FormFieldName }

export const LINK_FIELDS: readonly LinkField[] = FIELD_NAMES.flatMap((name) => {
  const { form } = FIELDS[name]
  return form ? { ...form, field: name as FormFieldName } : []
})

/** The fields that are lists of rows. */
export const LISTS = LINK_FIELDS.filter(({ input }) => input === 'rows')

/** Inputs that are not columns of the link, or that need special handling. */
const OWN_INPUTS = ['alias', 'domain', 'tags', 'password', 'removePassword', 'metaImageFile']
const SELECTIONS = ['pixels', 'campaigns', 'channels']

/** How the inputs of a kind represent a value. */
type Input = {
  format: (stored: never) => readonly string[]
  /** Returns null for an empty value. */
  parse: (texts: readonly string[]) => unknown
}

const INPUTS: Readonly<Record<Exclude<FormField['input'], 'rows' | 'rules'>, Input>> = {
  text: {
    format: (stored: string | null) => [removeLineBreaks(stored ?? '')],
    parse: ([text]) => text || null,
  },
  url: {
    format: (stored: string | null) => [stored ?? ''],
    parse: ([text = '']) => text.trim() || null,
  },
  multiline: {
    // Browsers submit text areas with CRLF line breaks.
    format: (stored: string | null) => [normalizeLineBreaks(stored ?? '')],
    parse: ([text = '']) => normalizeLineBreaks(text) || null,
  },
  number: {
    format: (stored: number | null) => [stored === null ? '' : String(stored)],
    parse: ([text = '']) => (text.trim() === '' ? null : Number(text)),
  },
  checkbox: {
    format: (stored: boolean) => [stored ? 'yes' : ''],
    parse: ([text]) => text === 'yes',
  },
  domainFlag: {
    format: (stored: boolean | null) => [stored === null ? '' : stored ? 'yes' : 'no'],
    parse: ([text]) => (text ? text === 'yes' : null),
  },
  moment: { format: formatMoment, parse: parseMoment },
  choice: { format: (stored: string) => [stored], parse: ([text]) => text || null },
}

/** Returns the names of a field's single inputs. */
export function listInputNames({ input, name }: FormField): string[] {
  if (input === 'rows' || input === 'rules') return []
  return input === 'moment' ? [`${name}Day`, `${name}Time`] : [name]
}

/** Reads a submitted link form, without empty rows. */
export function readLinkForm(body: unknown): LinkForm {
  const given = (body ?? {}) as Record<string, unknown>
  const names = [...OWN_INPUTS, ...UTM_NAMES, ...LINK_FIELDS.flatMap(listInputNames)]
  return {
    texts: readFields(given, names),
    rows: Object.fromEntries(LISTS.map(({ name }) => [name, readRows(given, name)])),
    rules: [...readFormRules(given).values()],
    pixels: readTexts(given.pixels),
    campaigns: readTexts(given.campaigns),
    channels: readTexts(given.channels),
  }
}

function readRows(given: Record<string, unknown>, list: string): FormRow[] {
  const names = readTexts(given[`${list}-name`])
  const values = readTexts(given[`${list}-value`])
  return Array.from({ length: Math.max(names.length, values.length) }, (_, index) => ({
    name: names[index] ?? '',
    value: values[index] ?? '',
  })).filter(({ name, value }) => name.trim() !== '' || value.trim() !== '')
}

/** Returns a link as form values. */
export function toLinkForm(link: Link & LinkParts): LinkForm {
  const values = toFieldValues(link)
  const rows = Object.fromEntries(LISTS.map((list) => [list.name, formatRows(list, values)]))
  const { utm, others } = splitUtm(rows.parameter ?? [])
  return {
    ...EMPTY_LINK_FORM,
    texts: {
      alias: link.alias,
      domain: link.domain ?? '',
      tags: link.tags.join(', '),
      ...formatTexts(values),
      ...utm,
    },
    rows: { ...rows, parameter: others },
    rules: formatRules(values.rules),
    pixels: link.pixels.map(String),
  }
}

type Values = ReturnType<typeof toFieldValues>

function formatTexts(values: Values): Record<string, string> {
  return Object.fromEntries(
    LINK_FIELDS.flatMap((field) => {
      const { input } = field
      if (input === 'rows' || input === 'rules') return []
      const texts = INPUTS[input].format(values[field.field] as never)
      return listInputNames(field).map((name, index) => [name, texts[index] ?? ''])
    }),
  )
}

function formatRows({ field, entry = ['name', 'value'] }: LinkField, values: Values): FormRow[] {
  const [first, second] = entry
  return (values[field] as readonly Record<string, string>[]).map((row) => ({
    name: removeLineBreaks(row[first] ?? ''),
    value: removeLineBreaks(String(row[second] ?? '')),
  }))
}

/** The values of single inputs for a link without any fields set. */
const DEFAULT_TEXTS = formatTexts(readFieldValues(COLUMN_DEFAULTS))

/** Returns whether a field differs from its default. */
export function isFieldUsed({ texts, rows, rules }: LinkForm, field: LinkField): boolean {
  if (field.input === 'rules') return rules.length > 0
  if (field.input === 'rows') return (rows[field.name] ?? []).length > 0
  return listInputNames(field).some(
    (name) => !['', DEFAULT_TEXTS[name]].includes(texts[name] ?? ''),
  )
}

/** @throws AppError `invalid_input` for errors that only the form can have */
export function checkLinkForm(form: LinkForm): void {
  const { texts, rules, pixels } = form
  const reject = (isWrong: boolean, ...error: Parameters<typeof invalid>) => {
    if (isWrong) throw invalid(...error)
  }
  checkAll(
    () =>
      reject(isPasswordRemoved(form) && Boolean(texts.password), 'password', 'password_conflict'),
    // The API ignores values without a name, but form users would lose them unnoticed.
    ...listParameters(form).map(
      ({ name }, index) =>
        () =>
          reject(name.trim() === '', `parameters[${index}].name`, 'empty'),
    ),
    ...listEmptyConditions(rules).map((field) => () => reject(true, field, 'rule_value_empty')),
    () => reject(!pixels.every((id) => /^[1-9]\d{0,14}$/.test(id)), 'pixels', 'unknown_pixel'),
  )
}

function isPasswordRemoved({ texts }: LinkForm): boolean {
  return texts.removePassword === 'yes'
}

/** Returns the input for services with every field, null for empty ones. */
export function toLinkInput(form: LinkForm): LinkInput {
  const { texts } = form
  return {
    ...Object.fromEntries(LINK_FIELDS.map((field) => [field.field, parseField(field, form)])),
    parameters: listParameters(form),
    url: addScheme(texts.url ?? ''),
    alias: texts.alias?.trim() || null,
    domain: texts.domain || null,
    tags: (texts.tags ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    pixels: form.pixels.map(Number),
    password: isPasswordRemoved(form) ? null : texts.password || undefined,
  }
}

/** Returns the parameters in the form, in the order in which they are stored. */
export function listParameters({ texts, rows }: LinkForm): FormRow[] {
  return [...listUtm(texts), ...(rows.parameter ?? [])]
}

function parseField(field: LinkField, { texts, rows, rules }: LinkForm): unknown {
  const { input, name, entry = ['name', 'value'] } = field
  if (input === 'rules') return parseRules(rules)
  if (input !== 'rows')
    return INPUTS[input].parse(listInputNames(field).map((each) => texts[each] ?? ''))
  const [first, second] = entry
  return (rows[name] ?? []).map((row) => ({ [first]: row.name, [second]: row.value }))
}

/**
 * Returns the changed fields. Omits unchanged ones, because validation may have become stricter,
 * and an expiration may be in the past.
 */
export function findChanges(form: LinkForm, stored: LinkForm): LinkInput {
  const { url, ...asked } = toLinkInput(form)
  const before = toLinkInput(stored)
  const differing = Object.entries(asked).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof LinkInput]),
  )
  return { url, ...Object.fromEntries(differing) }
}

/** Returns the id of the input that an error belongs to, or `form` if it belongs to none. */
export function findErrorInput({ code, field: path = '' }: AppError, { texts }: LinkForm): string {
  if (code === 'alias_taken') return 'alias'
  // Such as `url`, `tags[0]` or `split[0].weight`.
  const [name = '', row, part] = path.split(/[.[\]]+/)
  if (name === 'rules') return findRuleErrorId(path)
  if ([...OWN_INPUTS, ...SELECTIONS].includes(name)) return name
  const field = LINK_FIELDS.find((each) => each.field === name)
  if (!field) return 'form'
  if (field.input !== 'rows' || !row) return listInputNames(field)[0] ?? field.name
  // UTM parameters come first, and have inputs of their own.
  const utm = name === 'parameters' ? listUtm(texts) : []
  const index = Number(row)
  const side = part && part === field.entry?.[1] ? 'value' : 'name'
  return utm[index]?.name ?? `${field.name}-${index - utm.length}-${side}`
}

/** Returns a text as browsers submit it from a single-line input. */
function removeLineBreaks(text: string): string {
  return text.replace(/[\r\n]/g, '')
}

function normalizeLineBreaks(text: string): string {
  return text.replaceAll('\r\n', '\n')
}

function formatMoment(stored: Date | null): string[] {
  const [day = '', time = ''] = stored ? formatTimestamp(stored).split(' ') : []
  // The end of a day is stored as its last millisecond.
  return [day, stored?.getUTCMilliseconds() === 999 ? '' : time]
}

function parseMoment([day = '', time = '']: readonly string[]): string | null {
  if (!day && !time) return null
  if (!time) return day
  // Browsers omit zero seconds.
  return `${day} ${/^\d\d:\d\d$/.test(time) ? `${time}:00` : time}`
}
