import { html } from '@remix-run/html-template'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { findByShortLink } from '../../../links/link-list.service.ts'
import { type QrType, qrTypes } from '../../../qr/content/payload.ts'
import { type QrParts, readPayload } from '../../../qr/content/read-payload.ts'
import { parseCaption } from '../../../qr/drawing/caption-font.ts'
import { type CodeStyle, DOTS, EYES, PLAIN_STYLE, parseShape } from '../../../qr/drawing/style.ts'
import type { QrDetails, QrInput } from '../../../qr/qr.ts'
import type { Scope } from '../../../scope.ts'
import { t } from '../../../texts.ts'
import { addScheme } from '../../../urls/destination-url.ts'
import { defineForm, type Form } from '../kit/form.ts'
import type { Spec } from '../kit/spec.ts'
import { toHex, toRgb } from '../link/code.ts'

/** Fields whose values are texts. */
type TextSpecs = Readonly<Record<string, Exclude<Spec, { type: 'checks' | 'rows' | 'file' }>>>

/** The values of a code's form. */
export type CodeForm = {
  type: QrType
  /** Values of fields by name. */
  values: Readonly<Record<string, string>>
  /** The uploaded logo. */
  logo: Buffer | undefined
}

/** The types of codes, most used first. */
export const CODE_TYPES = ['link', 'text', 'wifi', 'vcard', 'email', 'phone', 'sms'] as const

const BLACK = '#000000'
const WHITE = '#ffffff'
/** The maximum length of a code's content: the digits that fit into the largest code. */
const MAX_TEXT_LENGTH = 7089

const phone = { label: 'code.fields.phone', maxLength: 64 } as const
const message = {
  label: 'code.fields.message',
  type: 'multiline',
  maxLength: MAX_TEXT_LENGTH,
  optional: true,
} as const
const CONTACT_FIELDS = [
  ...(['fname', 'lname', 'org', 'title', 'phone', 'cell', 'fax', 'email', 'website'] as const),
  ...(['street', 'city', 'state', 'zip', 'country'] as const),
]

/** The fields for the content of a code, by its type. */
export const CONTENT_FIELDS: Readonly<Record<QrType, TextSpecs>> = {
  link: {
    url: {
      label: 'code.fields.url.label',
      hint: 'code.fields.url.hint',
      maxLength: 8192,
      optional: true,
    },
  },
  text: { text: { label: 'code.fields.text', type: 'multiline', maxLength: MAX_TEXT_LENGTH } },
  wifi: {
    ssid: { label: 'code.fields.ssid', maxLength: 32 },
    encryption: {
      label: 'code.fields.encryption',
      type: 'select',
      choices: () => [
        { value: 'wpa', label: t('code.fields.wpa') },
        { value: 'sae', label: t('code.fields.sae') },
        { value: 'wep', label: t('code.fields.wep') },
        { value: 'none', label: t('code.fields.open') },
      ],
    },
    password: { label: 'code.fields.password', maxLength: 64, optional: true },
    hidden: { label: 'code.fields.hidden', type: 'check' },
  },
  vcard: {
    ...Object.fromEntries(
      CONTACT_FIELDS.map((name) => [
        name,
        { label: `code.fields.contact.${name}`, maxLength: 500, optional: true } as const,
      ]),
    ),
    card: {
      label: 'code.fields.card.label',
      hint: 'code.fields.card.hint',
      type: 'multiline',
      maxLength: MAX_TEXT_LENGTH,
      optional: true,
    },
  },
  email: {
    email: { label: 'code.fields.to', maxLength: 254 },
    subject: { label: 'code.fields.subject', maxLength: 1000, optional: true },
    message,
  },
  phone: { phone },
  sms: { phone, message },
}

/** The fields of all codes. The upload of the logo is not among them. */
const COMMON_FIELDS = {
  // The choice between `url` and `link`, which the page renders around both.
  source: { type: 'hidden' },
  link: {
    label: 'code.source.link',
    hint: 'code.source.linkHint',
    maxLength: 2048,
    // Optional, because the form may use the other field.
    optional: true,
    attributes: html` list="link-choices"`,
  },
  name: { label: 'code.name.label', hint: 'code.name.hint', maxLength: 200, optional: true },
  foreground: { label: 'code.foreground', type: 'color' },
  background: { label: 'code.background', type: 'color' },
  dots: {
    label: 'code.dots',
    type: 'select',
    choices: () => DOTS.map((value) => ({ value, label: t(`code.dotShapes.${value}`) })),
  },
  eyes: {
    label: 'code.eyes',
    type: 'select',
    choices: () => EYES.map((value) => ({ value, label: t(`code.eyeShapes.${value}`) })),
  },
  caption: { label: 'code.caption', hint: 'code.captionHint', maxLength: 30, optional: true },
  logoAddress: {
    label: 'code.logoUrl.label',
    hint: 'code.logoUrl.hint',
    maxLength: 8192,
    optional: true,
  },
  removeLogo: { label: 'code.removeLogo', type: 'check' },
} satisfies TextSpecs

/** The forms of codes by type. */
export const CODE_FORMS = Object.fromEntries(
  CODE_TYPES.map((type) => [
    type,
    defineForm<TextSpecs>({ ...CONTENT_FIELDS[type], ...COMMON_FIELDS }),
  ]),
) as Record<QrType, Form<TextSpecs>>

/** Reads the selected type. Returns `defaultType` if it is missing or unknown. */
export function readType(value: unknown, defaultType: QrType = 'link'): QrType {
  return qrTypes.find((type) => type === value) ?? defaultType
}

/** Reads a submitted form. */
export function readCodeForm(body: unknown): CodeForm {
  const { type: name, logo } = (body ?? {}) as Record<string, unknown>
  const type = readType(name)
  const values = CODE_FORMS[type].read(body)
  // Browsers send an empty file if none is selected.
  return { type, values, logo: Buffer.isBuffer(logo) && logo.length > 0 ? logo : undefined }
}

/** Returns the form of a new code in the default style, optionally for the link with a short URL. */
export function createNewForm(type: QrType, shortUrl?: string): CodeForm {
  const values = { foreground: BLACK, background: WHITE, ...toStyleValues(PLAIN_STYLE) }
  const source = shortUrl === undefined ? 'new' : 'existing'
  return { type, values: { ...values, source, link: shortUrl ?? '' }, logo: undefined }
}

/**
 * Returns the form that edits a code. If `type` differs from the code's type, the fields of the
 * content are empty.
 */
export function toCodeForm(code: QrDetails, type: QrType): CodeForm {
  const { foreground, background, content, style, usesAccountLink, shortUrl } = code
  const isDynamic = content.kind === 'dynamic'
  const parts =
    type === code.type ? readPayload(type, isDynamic ? content.destination : content.payload) : {}
  const link = isDynamic ? content.destination : (shortUrl ?? '')
  return {
    type,
    values: {
      ...parts,
      ...toStyleValues(style),
      ...(usesAccountLink && type === 'link' ? { source: 'existing', link } : { source: 'new' }),
      name: code.name,
      foreground: foreground === null ? BLACK : toHex(foreground),
      background: background === null ? WHITE : toHex(background),
    },
    logo: undefined,
  }
}

function toStyleValues({ dots, eyes, caption }: CodeStyle) {
  return { dots, eyes, caption: caption ?? '' }
}

/**
 * Returns the form's content in the format of `createQrPayload`. For a code of an account's link, it
 * is the short link as entered.
 */
export function readCodeData({ type, values }: CodeForm): unknown {
  // Browsers submit text areas with CRLF line breaks, which vCards require and other types do not.
  if (type === 'vcard' && values.card) return values.card
  const parts = Object.fromEntries(
    Object.keys(CONTENT_FIELDS[type]).map((name) => [
      name,
      (values[name] ?? '').replaceAll('\r\n', '\n'),
    ]),
  )
  if (type === 'text') return parts.text
  if (type !== 'link') return { ...parts, hidden: parts.hidden ? 'true' : '' }
  return values.source === 'existing' ? values.link?.trim() : addScheme(parts.url ?? '')
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

/**
 * Verifies that the short link in a form for a link's code is one of the account's. Accepts all other
 * forms.
 *
 * @throws AppError `invalid_input` naming `link`
 */
export async function requireLink(
  scope: Scope<HttpContext>,
  { type, values }: CodeForm,
): Promise<void> {
  if (type !== 'link' || values.source !== 'existing') return
  const link = await findByShortLink(scope, values.link?.trim() ?? '')
  if (!link) throw new AppError('invalid_input', { field: 'link', text: 'code.source.notFound' })
}

/** Returns the name of the form field that an error belongs to, or `form` if it belongs to none. */
export function findErrorField({ field = 'form' }: AppError, { type, values }: CodeForm): string {
  if (field === 'data') {
    if (type === 'link' && values.source === 'existing') return 'link'
    if (type === 'vcard' && values.card) return 'card'
    return Object.keys(CONTENT_FIELDS[type])[0] ?? 'form'
  }
  const name = field.replace(/^data\./, '')
  if (name === 'logo') return values.logoAddress?.trim() ? 'logoAddress' : 'logo'
  return name in CONTENT_FIELDS[type] || name in COMMON_FIELDS ? name : 'form'
}
