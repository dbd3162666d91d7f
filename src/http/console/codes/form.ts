import type { AppError } from '../../../errors.ts'
import { type QrType, qrTypes } from '../../../qr/content/payload.ts'
import { type QrParts, readPayload } from '../../../qr/content/read-payload.ts'
import { parseCaption } from '../../../qr/drawing/caption-font.ts'
import { type CodeStyle, DOTS, EYES, PLAIN_STYLE, parseShape } from '../../../qr/drawing/style.ts'
import type { QrDetails, QrInput } from '../../../qr/qr.ts'
import { addScheme } from '../../../target-url.ts'
import { toHex, toRgb } from '../link/code-form.ts'
import { readFields } from '../shell/send.ts'
import { listCodeFields } from './fields.ts'

/** The values of a code's form. */
export type CodeForm = {
  type: QrType
  values: Readonly<Record<string, string>>
  /** The uploaded image. */
  logo: Buffer | undefined
}

const BLACK = '#000000'
const WHITE = '#ffffff'
const STYLE_FIELDS = [
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

/** Reads the selected type, or returns `defaultType`. */
export function readType(value: unknown, defaultType: QrType = 'link'): QrType {
  return qrTypes.find((type) => type === value) ?? defaultType
}

/** Reads a submitted form. */
export function readCodeForm(body: unknown): CodeForm {
  const given = (body ?? {}) as Record<string, unknown>
  const type = readType(given.type)
  const names = listCodeFields(type).map(({ name }) => name)
  const values = readFields(given, [...STYLE_FIELDS, ...names])
  const { logo } = given
  return { type, values, logo: Buffer.isBuffer(logo) && logo.length > 0 ? logo : undefined }
}

/** Returns an empty form, optionally for a link's short URL. */
export function createEmptyForm(type: QrType, shortUrl?: string): CodeForm {
  const target: Record<string, string> =
    shortUrl === undefined ? { source: 'new' } : { source: 'existing', link: shortUrl }
  const values = { foreground: BLACK, background: WHITE, ...readShapes(PLAIN_STYLE), ...target }
  return { type, values, logo: undefined }
}

function readShapes({ dots, eyes, caption }: CodeStyle) {
  return { dots, eyes, caption: caption ?? '' }
}

/** Returns a code as form values. If the type differs from the code's, the content is empty. */
export function toCodeForm(code: QrDetails, type: QrType): CodeForm {
  const { foreground, background, content, style, usesAccountLink, shortUrl } = code
  const payload = content.kind === 'dynamic' ? content.target : content.payload
  const parts = type === code.type ? readPayload(type, payload) : {}
  return {
    type,
    values: {
      ...parts,
      ...readShapes(style),
      ...(usesAccountLink && type === 'link'
        ? {
            source: 'existing',
            link: content.kind === 'dynamic' ? content.target : (shortUrl ?? ''),
          }
        : { source: 'new' }),
      name: code.name,
      foreground: foreground === null ? BLACK : toHex(foreground),
      background: background === null ? WHITE : toHex(background),
    },
    logo: undefined,
  }
}

/** Returns the form's content in the format of `createQrPayload`. */
export function readCodeData({ type, values }: Pick<CodeForm, 'type' | 'values'>): unknown {
  // Browsers submit text areas with CRLF line breaks, which vCards require and other types do not.
  if (type === 'vcard' && values.card) return values.card
  const parts = Object.fromEntries(
    listCodeFields(type).map(({ name }) => [name, (values[name] ?? '').replaceAll('\r\n', '\n')]),
  )
  if (type === 'text') return parts.text
  if (type === 'link')
    return isOfLink({ type, values }) ? values.link?.trim() : addScheme(parts.url ?? '')
  return { ...parts, hidden: parts.hidden ? 'true' : '' }
}

/** Returns whether the form is for a code of an account's link. */
export function isOfLink({ type, values }: Pick<CodeForm, 'type' | 'values'>): boolean {
  return type === 'link' && values.source === 'existing'
}

/** Returns the form's colors in stored form, null for defaults. */
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

/** Returns the input for services. Keeps the stored logo unless the form replaces or removes it. */
export function toQrInput(form: CodeForm): QrInput {
  const { type, values, logo } = form
  const chosen = logo ?? values.logoAddress?.trim() ?? ''
  return {
    type,
    data: readCodeData(form),
    name: values.name?.trim() || null,
    ...readColors(values),
    dots: values.dots ?? null,
    eyes: values.eyes ?? null,
    caption: values.caption ?? null,
    ...(chosen.length > 0 ? { logo: chosen } : values.removeLogo ? { logo: null } : {}),
  }
}

/** Returns the form field of an error, or `form`. */
export function findErrorField({ field = 'form' }: AppError, { type, values }: CodeForm): string {
  if (field === 'data' && isOfLink({ type, values })) return 'link'
  if (field === 'data')
    return type === 'vcard' && values.card ? 'card' : (findFirstField(type) ?? 'form')
  const name = field.replace(/^data\./, '')
  if (name === 'logo' && values.logoAddress?.trim()) return 'logoAddress'
  const known = [...listCodeFields(type).map((each) => each.name), ...STYLE_FIELDS, 'logo']
  return known.includes(name) ? name : 'form'
}

function findFirstField(type: QrType): string | undefined {
  return listCodeFields(type)[0]?.name
}
