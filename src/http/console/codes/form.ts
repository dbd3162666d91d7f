import { addScheme } from '../../../destination-url.ts'
import type { AppError } from '../../../errors.ts'
import { type QrType, qrTypes } from '../../../qr/content/payload.ts'
import { type QrParts, readPayload } from '../../../qr/content/read-payload.ts'
import { parseCaption } from '../../../qr/drawing/caption-font.ts'
import { type CodeStyle, DOTS, EYES, PLAIN_STYLE, parseShape } from '../../../qr/drawing/style.ts'
import type { QrDetails, QrInput } from '../../../qr/qr.ts'
import { toHex, toRgb } from '../link/code.ts'
import { readFields } from '../shell/send.ts'
import { listCodeFields } from './fields.ts'

/** The content of a code's form. */
export type CodeForm = {
  type: QrType
  /** Values of fields by name. */
  values: Readonly<Record<string, string>>
  /** The uploaded logo. */
  logo: Buffer | undefined
}

const BLACK = '#000000'
const WHITE = '#ffffff'
const COMMON_FIELDS = [
  'name',
  'foreground',
  'background',
  'logoAddress',
  'removeLogo',
  'dots',
  'eyes',
  'caption',
  'source',
  'link',
]

/** Reads the selected type. Returns `defaultType` if it is missing or unknown. */
export function readType(value: unknown, defaultType: QrType = 'link'): QrType {
  return qrTypes.find((type) => type === value) ?? defaultType
}

/** Reads a submitted form. */
export function readCodeForm(body: unknown): CodeForm {
  const submitted = (body ?? {}) as Record<string, unknown>
  const type = readType(submitted.type)
  const names = listCodeFields(type).map(({ name }) => name)
  const values = readFields(submitted, [...COMMON_FIELDS, ...names])
  const { logo } = submitted
  // Browsers send an empty file if none is selected.
  return { type, values, logo: Buffer.isBuffer(logo) && logo.length > 0 ? logo : undefined }
}

/** Returns the form of a new code in the default style, optionally for the link with a short URL. */
export function createNewForm(type: QrType, shortUrl?: string): CodeForm {
  const source: Record<string, string> =
    shortUrl === undefined ? { source: 'new' } : { source: 'existing', link: shortUrl }
  const values = { foreground: BLACK, background: WHITE, ...toStyleValues(PLAIN_STYLE), ...source }
  return { type, values, logo: undefined }
}

function toStyleValues({ dots, eyes, caption }: CodeStyle) {
  return { dots, eyes, caption: caption ?? '' }
}

/**
 * Returns the form that edits a code. If `type` differs from the code's type, the fields of the
 * content are empty.
 */
export function toCodeForm(code: QrDetails, type: QrType): CodeForm {
  const { foreground, background, content, style, usesAccountLink, shortUrl } = code
  const payload = content.kind === 'dynamic' ? content.destination : content.payload
  const parts = type === code.type ? readPayload(type, payload) : {}
  return {
    type,
    values: {
      ...parts,
      ...toStyleValues(style),
      ...(usesAccountLink && type === 'link'
        ? {
            source: 'existing',
            link: content.kind === 'dynamic' ? content.destination : (shortUrl ?? ''),
          }
        : { source: 'new' }),
      name: code.name,
      foreground: foreground === null ? BLACK : toHex(foreground),
      background: background === null ? WHITE : toHex(background),
    },
    logo: undefined,
  }
}

/**
 * Returns the form's content in the format of `createQrPayload`. For a code of an account's link, it
 * is the short link as entered.
 */
export function readCodeData({ type, values }: Pick<CodeForm, 'type' | 'values'>): unknown {
  // Browsers submit text areas with CRLF line breaks, which vCards require and other types do not.
  if (type === 'vcard' && values.card) return values.card
  const parts = Object.fromEntries(
    listCodeFields(type).map(({ name }) => [name, (values[name] ?? '').replaceAll('\r\n', '\n')]),
  )
  if (type === 'text') return parts.text
  if (type === 'link')
    return isForAccountLink({ type, values }) ? values.link?.trim() : addScheme(parts.url ?? '')
  return { ...parts, hidden: parts.hidden ? 'true' : '' }
}

/** Returns whether the form is for a code of an account's link. */
export function isForAccountLink({ type, values }: Pick<CodeForm, 'type' | 'values'>): boolean {
  return type === 'link' && values.source === 'existing'
}

/**
 * Returns the form's colors in the stored format. Default colors are null.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readColors({ foreground = '', background = '' }: QrParts) {
  return {
    foreground: foreground === BLACK || foreground === '' ? null : toRgb('foreground', foreground),
    background: background === WHITE || background === '' ? null : toRgb('background', background),
  }
}

/**
 * Returns the form's style.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readStyle({ dots = '', eyes = '', caption = '' }: QrParts): CodeStyle {
  return {
    dots: parseShape('dots', dots || PLAIN_STYLE.dots, DOTS),
    eyes: parseShape('eyes', eyes || PLAIN_STYLE.eyes, EYES),
    caption: parseCaption(caption),
  }
}

/**
 * Returns the input for services. Without `logo`, which is set only if the form replaces or removes
 * the logo, services keep the stored one.
 *
 * @throws AppError `invalid_input` naming a color
 */
export function toQrInput(form: CodeForm): QrInput {
  const { type, values, logo } = form
  const newLogo = logo ?? values.logoAddress?.trim() ?? ''
  return {
    type,
    data: readCodeData(form),
    name: values.name?.trim() || null,
    ...readColors(values),
    dots: values.dots ?? null,
    eyes: values.eyes ?? null,
    caption: values.caption ?? null,
    ...(newLogo.length > 0 ? { logo: newLogo } : values.removeLogo ? { logo: null } : {}),
  }
}

/** Returns the name of the form field that an error belongs to, or `form` if it belongs to none. */
export function findErrorField({ field = 'form' }: AppError, { type, values }: CodeForm): string {
  if (field === 'data') {
    if (isForAccountLink({ type, values })) return 'link'
    if (type === 'vcard' && values.card) return 'card'
    return listCodeFields(type)[0]?.name ?? 'form'
  }
  const name = field.replace(/^data\./, '')
  if (name === 'logo' && values.logoAddress?.trim()) return 'logoAddress'
  const names = [...listCodeFields(type).map((each) => each.name), ...COMMON_FIELDS, 'logo']
  return names.includes(name) ? name : 'form'
}
