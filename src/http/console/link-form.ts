import { type AppError, invalid } from '../../errors.ts'
import type { Link, LinkParts } from '../../links/link.ts'
import type { LinkInput } from '../../links/link-input.ts'
import { formatLinkType } from '../../links/link-type.ts'
import { countryName } from '../../visitors/country-names.ts'
import { languageLabel } from '../../visitors/language.ts'
import { formatTimestamp } from '../timestamp.ts'
import {
  EMPTY_LINK_FORM,
  type FormRow,
  type LinkForm,
  ROW_LISTS,
  type RowList,
} from './link-editor/form.ts'
import { fieldsOf } from './send.ts'

const TEXTS = [
  'url',
  'alias',
  'domain',
  'tags',
  'expiresDay',
  'expiresTime',
  'type',
  'metaTitle',
  'metaDescription',
  'metaImage',
  'password',
] as const

/** What was typed into the form of a link. Rows of which nothing was filled in are left out. */
export function readLinkForm(body: unknown): LinkForm {
  const given = (body ?? {}) as Record<string, unknown>
  const texts = fieldsOf(given, TEXTS)
  return {
    ...EMPTY_LINK_FORM,
    ...texts,
    type: texts.type || 'direct',
    // Browsers send text areas with the line ends of the Internet.
    metaDescription: texts.metaDescription.replaceAll('\r\n', '\n'),
    ...(Object.fromEntries(ROW_LISTS.map((list) => [list, readRows(given, list)])) as Record<
      RowList,
      FormRow[]
    >),
    pixels: textsOf(given.pixels),
    campaigns: textsOf(given.campaigns),
    channels: textsOf(given.channels),
    removePassword: given.removePassword === 'yes',
  }
}

function readRows(given: Record<string, unknown>, list: RowList): FormRow[] {
  const names = textsOf(given[`${list}-name`])
  const values = textsOf(given[`${list}-value`])
  return Array.from({ length: Math.max(names.length, values.length) }, (_, index) => ({
    name: names[index] ?? '',
    value: values[index] ?? '',
  })).filter(({ name, value }) => name.trim() !== '' || value.trim() !== '')
}

/** What a form says once or several times under one name. */
function textsOf(value: unknown): string[] {
  const all = Array.isArray(value) ? value : [value]
  return all.filter((each) => typeof each === 'string')
}

/** A link as its form shows it. */
export function formOfLink(link: Link & LinkParts): LinkForm {
  const { meta, expiresAt } = link
  const [day = '', time = ''] = expiresAt ? formatTimestamp(expiresAt).split(' ') : []
  return {
    ...EMPTY_LINK_FORM,
    url: link.url,
    alias: link.alias,
    domain: link.domain ?? '',
    tags: link.tags.join(', '),
    expiresDay: day,
    // The end of a day is stored as its last millisecond.
    expiresTime: expiresAt?.getUTCMilliseconds() === 999 ? '' : time,
    geo: link.geoTargets.map(({ name, link: value }) => ({ name: countryName(name), value })),
    device: link.deviceTargets.map(({ name, link: value }) => ({ name, value })),
    language: link.languageTargets.map(({ name, link: value }) => ({
      name: languageLabel(name),
      value,
    })),
    parameter: link.parameters.map(({ name, value }) => ({
      name: oneLine(name),
      value: oneLine(value),
    })),
    type: formatLinkType(link),
    pixels: link.pixels.map(String),
    metaTitle: oneLine(meta.title ?? ''),
    metaDescription: (meta.description ?? '').replaceAll('\r\n', '\n'),
    metaImage: meta.image ?? '',
  }
}

/** A text as browsers send it back from a field of one line. */
function oneLine(text: string): string {
  return text.replace(/[\r\n]/g, '')
}

/**
 * What a form asks of a link: every field of it, those left empty to be cleared.
 *
 * @throws AppError `invalid_input` for what the form alone can get wrong
 */
export function inputOf(form: LinkForm) {
  if (form.removePassword && form.password) {
    throw invalid('password', 'can’t be set and removed together')
  }
  return {
    url: form.url.trim(),
    alias: form.alias.trim() || null,
    domain: form.domain || null,
    tags: form.tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean),
    expiresAt: expiryOf(form),
    geoTargets: form.geo.map(({ name, value }) => ({ location: name, link: value })),
    deviceTargets: form.device.map(({ name, value }) => ({ device: name, link: value })),
    languageTargets: form.language.map(({ name, value }) => ({ language: name, link: value })),
    parameters: form.parameter.map(requireName),
    type: form.type,
    pixels: form.pixels.map(readPixel),
    metaTitle: form.metaTitle || null,
    metaDescription: form.metaDescription || null,
    metaImage: form.metaImage.trim() || null,
    password: form.removePassword ? null : form.password || undefined,
  } satisfies LinkInput
}

function expiryOf({ expiresDay, expiresTime }: LinkForm): string | null {
  if (!expiresDay && !expiresTime) return null
  if (!expiresTime) return expiresDay
  // Browsers leave out seconds that are zero.
  const time = /^\d\d:\d\d$/.test(expiresTime) ? `${expiresTime}:00` : expiresTime
  return `${expiresDay} ${time}`
}

function readPixel(id: string): number {
  if (!/^[1-9]\d{0,14}$/.test(id)) throw invalid('pixels', 'names a pixel that does not exist')
  return Number(id)
}

/** The API passes over values without a name; here they would be lost without a word. */
function requireName(row: FormRow, index: number): FormRow {
  if (row.name.trim() === '') throw invalid(`parameters[${index}].name`, 'must not be empty')
  return row
}

/**
 * What a form would change of what is stored. What is as it was is left out: rules may have become
 * stricter since, and an end that has passed is still one.
 */
export function changesOf(form: LinkForm, stored: LinkForm): LinkInput {
  const { url, ...asked } = inputOf(form)
  const before = inputOf(stored)
  const differing = Object.entries(asked).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name as keyof typeof asked]),
  )
  return { url, ...(Object.fromEntries(differing) as Partial<typeof asked>) }
}

/** The id of the field in the form for each field of the domain; `*` stands for the row of a list. */
const formFields: Readonly<Record<string, string>> = {
  url: 'url',
  alias: 'alias',
  domain: 'domain',
  tags: 'tags',
  'tags[*]': 'tags',
  expiresAt: 'expiresDay',
  geoTargets: 'geo',
  'geoTargets[*].location': 'geo-*-name',
  'geoTargets[*].link': 'geo-*-value',
  deviceTargets: 'device',
  'deviceTargets[*].device': 'device-*-name',
  'deviceTargets[*].link': 'device-*-value',
  languageTargets: 'language',
  'languageTargets[*].language': 'language-*-name',
  'languageTargets[*].link': 'language-*-value',
  parameters: 'parameter',
  'parameters[*].name': 'parameter-*-name',
  'parameters[*].value': 'parameter-*-value',
  type: 'type',
  pixels: 'pixels',
  campaigns: 'campaigns',
  channels: 'channels',
  metaTitle: 'metaTitle',
  metaDescription: 'metaDescription',
  metaImage: 'metaImage',
  password: 'password',
}

/** The id of the field that an error is about; `form` where it is about none. */
export function fieldOf({ code, field = '' }: AppError): string {
  if (code === 'alias_taken') return 'alias'
  const index = /\[(\d+)\]/.exec(field)?.[1] ?? ''
  return formFields[field.replace(/\[\d+\]/, '[*]')]?.replace('*', index) ?? 'form'
}
