import type { AppError } from '../../../errors.ts'
import { type QrType, qrTypes } from '../../../qr/content/payload.ts'
import { type QrParts, readPayload } from '../../../qr/content/read-payload.ts'
import type { QrDetails, QrInput } from '../../../qr/qr.ts'
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
const LOOK = ['name', 'foreground', 'background', 'logoAddress', 'removeLogo'] as const

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

/** An empty form. */
export function emptyForm(type: QrType): CodeForm {
  return { type, values: { foreground: BLACK, background: WHITE }, logo: undefined }
}

/** A code as its form shows it; with another type than it has, without what it says. */
export function formOfCode(code: QrDetails, type: QrType): CodeForm {
  const { foreground, background, content } = code
  const payload = content.kind === 'dynamic' ? content.target : content.payload
  const parts = type === code.type ? readPayload(type, payload) : {}
  return {
    type,
    values: {
      ...parts,
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
  if (type === 'link') return parts.url
  return { ...parts, hidden: parts.hidden ? 'true' : '' }
}

/** The colors of the form as they are stored: null for the usual ones. */
export function colorsOf({ foreground = '', background = '' }: QrParts) {
  return {
    foreground: foreground === BLACK || foreground === '' ? null : toRgb('foreground', foreground),
    background: background === WHITE || background === '' ? null : toRgb('background', background),
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
    ...(chosen.length > 0 ? { logo: chosen } : values.removeLogo ? { logo: null } : {}),
  }
}

/** The name of the field that an error is about; `form` where it is about none. */
export function fieldOf({ field = 'form' }: AppError, { type, values }: CodeForm): string {
  if (field === 'data') return type === 'vcard' && values.card ? 'card' : (firstOf(type) ?? 'form')
  const name = field.replace(/^data\./, '')
  if (name === 'logo' && values.logoAddress?.trim()) return 'logoAddress'
  const known = [...codeFields[type].map((each) => each.name), ...LOOK, 'logo']
  return known.includes(name) ? name : 'form'
}

function firstOf(type: QrType): string | undefined {
  return codeFields[type][0]?.name
}
