import { addScheme } from '../../../destination-url.ts'
import { type AppError, invalid } from '../../../errors.ts'
import { type Link, type LinkParts, toFieldValues } from '../../../links/link.ts'
import type { LinkInput } from '../../../links/link-input.ts'
import { readFields } from '../shell/send.ts'
import { EMPTY_LINK_FORM, type FormRow, getInputText, type LinkForm } from './form.ts'
import {
  FORM_FIELDS,
  formatField,
  listInputNames,
  mapErrorInputs,
  parseField,
  ROW_LISTS,
} from './form-fields.ts'
import { findRuleErrorId, readFormRules } from './rules/form.ts'
import { findParameterInput, joinUtm, readUtm, splitUtm } from './utm/rows.ts'

/** Inputs that are not columns of the link, or that need special handling. */
const SPECIAL_INPUTS = ['alias', 'domain', 'tags', 'password', 'removePassword', 'metaImageFile']
const TEXTS = [...SPECIAL_INPUTS, ...FORM_FIELDS.flatMap(listInputNames)]

/** Reads a submitted link form, without empty rows. */
export function readLinkForm(body: unknown): LinkForm {
  const given = (body ?? {}) as Record<string, unknown>
  const rows = Object.fromEntries(ROW_LISTS.map((list) => [list, readRows(given, list)]))
  return {
    texts: readFields(given, TEXTS),
    rows: { ...rows, parameter: joinUtm({ utm: readUtm(given), others: rows.parameter ?? [] }) },
    rules: [...readFormRules(given).values()],
    pixels: listTexts(given.pixels),
    campaigns: listTexts(given.campaigns),
    channels: listTexts(given.channels),
  }
}

function readRows(given: Record<string, unknown>, list: string): FormRow[] {
  const names = listTexts(given[`${list}-name`])
  const values = listTexts(given[`${list}-value`])
  return Array.from({ length: Math.max(names.length, values.length) }, (_, index) => ({
    name: names[index] ?? '',
    value: values[index] ?? '',
  })).filter(({ name, value }) => name.trim() !== '' || value.trim() !== '')
}

/** Returns the single or repeated values of a form field. */
function listTexts(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter((each) => typeof each === 'string')
}

/** Returns a link as form values. */
export function toLinkForm(link: Link & LinkParts): LinkForm {
  const values = toFieldValues(link)
  const shown = FORM_FIELDS.map((form) => formatField(form, values[form.field]))
  const rows: LinkForm['rows'] = Object.assign({}, ...shown.map((each) => each.rows))
  return {
    ...EMPTY_LINK_FORM,
    texts: {
      alias: link.alias,
      domain: link.domain ?? '',
      tags: link.tags.join(', '),
      ...Object.assign({}, ...shown.map(({ texts }) => texts)),
    },
    rows: { ...rows, parameter: joinUtm(splitUtm(rows.parameter ?? [])) },
    rules: shown.flatMap(({ rules }) => rules),
    pixels: link.pixels.map(String),
  }
}

/**
 * Returns the input for services with every field, null for empty ones.
 *
 * @throws AppError `invalid_input` for errors that only the form can have
 */
export function toLinkInput(form: LinkForm): LinkInput {
  const password = getInputText(form, 'password')
  const removePassword = getInputText(form, 'removePassword') === 'yes'
  if (removePassword && password) throw invalid('password', 'password_conflict')
  requireParameterNames(form)
  return {
    ...Object.fromEntries(FORM_FIELDS.map((field) => [field.field, parseField(field, form)])),
    url: addScheme(getInputText(form, 'url')),
    alias: getInputText(form, 'alias').trim() || null,
    domain: getInputText(form, 'domain') || null,
    tags: getInputText(form, 'tags')
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    pixels: form.pixels.map(readPixel),
    password: removePassword ? null : password || undefined,
  }
}

function readPixel(id: string): number {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw invalid('pixels', 'unknown_pixel')
  return Number(id)
}

/**
 * Rejects values without a name. The API ignores them, but form users would lose them unnoticed.
 */
function requireParameterNames({ rows }: LinkForm): void {
  for (const [index, { name }] of (rows.parameter ?? []).entries()) {
    if (name.trim() === '') throw invalid(`parameters[${index}].name`, 'empty')
  }
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

/** Maps the path of a value to the id of its input. `*` stands for the row of a list. */
const places: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SPECIAL_INPUTS.map((name) => [name, name])),
  'tags[*]': 'tags',
  pixels: 'pixels',
  campaigns: 'campaigns',
  channels: 'channels',
  ...Object.assign({}, ...FORM_FIELDS.map(mapErrorInputs)),
}

/** Returns the id of an error's field, or `form`. */
export function findErrorInput({ code, field = '' }: AppError, { rows }: LinkForm): string {
  if (code === 'alias_taken') return 'alias'
  const rule = findRuleErrorId(field)
  if (rule) return rule
  const index = /\[(\d+)\]/.exec(field)?.[1] ?? ''
  if (field.startsWith('parameters[')) {
    const part = field.endsWith('.value') ? 'value' : 'name'
    return findParameterInput(rows.parameter ?? [], Number(index), part)
  }
  return places[field.replace(/\[\d+\]/, '[*]')]?.replace('*', index) ?? 'form'
}
