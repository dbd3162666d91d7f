import type { AppError } from '../../../errors.ts'
import { type QrType, qrTypes } from '../../../qr/content/payload.ts'
import { type QrParts, readPayload } from '../../../qr/content/read-payload.ts'
import { parseCaption } from '../../../qr/drawing/caption-font.ts'
import { type CodeStyle, DOTS, EYES, PLAIN, parseShape } from '../../../qr/drawing/style.ts'
import type { QrDetails, QrInput } from '../../../qr/qr.ts'
import { withScheme } from '../../../target-url.ts'
import { toHex, toRgb } from '../link/code-form.ts'
import { fieldsOf } from '../send.ts'
import { codeFields } from './fields.ts'

/** The form of a code as it is shown and typed. */
export type CodeForm = {
  type: QrType
  values: Readonly<Record<string, string>>
  /** The picture that was sent along. */
  logo: Buffer | undefined
}

const BLACK = '#000000'
const WHITE = '#ffffff'
const LOOK = [
  ...(['name', 'foreground', 'background', 'logoAddress', 'removeLogo'] as const),
  ...(['dots', 'eyes', 'caption', 'source', 'link'] as const),
]

/** The type that somebody chose, or `otherwise`. */
export function readType(value: unknown, otherwise: QrType = 'link'): QrType {
  return qrTypes.find((type) => type === value) ?? otherwise
}

/** What was typed into the form of a code. */
export function readCodeForm(body: unknown): CodeForm {
  const given = (body ?? {}) as Record<string, unknown>
  const type = readType(given.type)
  const names = codeFields[type].map(({ name }) => name)
  const values = fieldsOf(given, [...LOOK, ...names])
  const { logo } = given
  return { type, values, logo: Buffer.isBuffer(logo) && logo.length > 0 ? logo : undefined }
}

/** An empty form, of a code for a link if its short URL is given. */
export function emptyForm(type: QrType, shortUrl?: string): CodeForm {
  const target: Record<string, string> =
    shortUrl === undefined ? { source: 'new' } : { source: 'existing', link: shortUrl }
  const values = { foreground: BLACK, background: WHITE, ...shapesOf(PLAIN), ...target }
  return { type, values, logo: undefined }
}

function shapesOf({ dots, eyes, caption }: CodeStyle) {
  return { dots, eyes, caption: caption ?? '' }
}

/** A code as its form shows it; with another type than it has, without what it says. */
export function formOfCode(code: QrDetails, type: QrType): CodeForm {
  const { foreground, background, content, style, standsForLink, shortUrl } = code
  const payload = content.kind === 'dynamic' ? content.target : content.payload
  const parts = type === code.type ? readPayload(type, payload) : {}
  return {
    type,
    values: {
      ...parts,
      ...shapesOf(style),
      ...(standsForLink && type === 'link'
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

/** What a code of the form says, as `qrPayload` reads it. */
export function dataOf({ type, values }: Pick<CodeForm, 'type' | 'values'>): unknown {
  // Browsers send text areas with the line ends of the Internet, which a card has and others need not.
  if (type === 'vcard' && values.card) return values.card
  const parts = Object.fromEntries(
    codeFields[type].map(({ name }) => [name, (values[name] ?? '').replaceAll('\r\n', '\n')]),
  )
  if (type === 'text') return parts.text
  if (type === 'link')
    return isOfLink({ type, values }) ? values.link?.trim() : withScheme(parts.url ?? '')
  return { ...parts, hidden: parts.hidden ? 'true' : '' }
}

/** Whether the code is to stand for a link of the account. */
export function isOfLink({ type, values }: Pick<CodeForm, 'type' | 'values'>): boolean {
  return type === 'link' && values.source === 'existing'
}

/** The colors of the form as they are stored: null for the usual ones. */
export function colorsOf({ foreground = '', background = '' }: QrParts) {
  return {
    foreground: foreground === BLACK || foreground === '' ? null : toRgb('foreground', foreground),
    background: background === WHITE || background === '' ? null : toRgb('background', background),
  }
}

/**
 * The style of the form.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function styleOf({ dots = '', eyes = '', caption = '' }: QrParts): CodeStyle {
  return {
    dots: parseShape('dots', dots || PLAIN.dots, DOTS),
    eyes: parseShape('eyes', eyes || PLAIN.eyes, EYES),
    caption: parseCaption(caption),
  }
}

/** What the form asks of a code; a logo that it does not mention stays. */
export function inputOf(form: CodeForm): QrInput {
  const { type, values, logo } = form
  const chosen = logo ?? values.logoAddress?.trim() ?? ''
  return {
    type,
    data: dataOf(form),
    name: values.name?.trim() || null,
    ...colorsOf(values),
    dots: values.dots ?? null,
    eyes: values.eyes ?? null,
    caption: values.caption ?? null,
    ...(chosen.length > 0 ? { logo: chosen } : values.removeLogo ? { logo: null } : {}),
  }
}

/** The name of the field that an error is about; `form` where it is about none. */
export function fieldOf({ field = 'form' }: AppError, { type, values }: CodeForm): string {
  if (field === 'data' && isOfLink({ type, values })) return 'link'
  if (field === 'data') return type === 'vcard' && values.card ? 'card' : (firstOf(type) ?? 'form')
  const name = field.replace(/^data\./, '')
  if (name === 'logo' && values.logoAddress?.trim()) return 'logoAddress'
  const known = [...codeFields[type].map((each) => each.name), ...LOOK, 'logo']
  return known.includes(name) ? name : 'form'
}

function firstOf(type: QrType): string | undefined {
  return codeFields[type][0]?.name
}
