import { html } from '@remix-run/html-template'
import { DOTS, EYES } from '../../../qr/drawing/style.ts'
import type { SingleField } from '../resources/form-field.ts'
import { codeMessages as messages } from './messages.ts'

/** The types of codes, most used first. */
export const CODE_TYPES = ['link', 'text', 'wifi', 'vcard', 'email', 'phone', 'sms'] as const

export type CodeType = (typeof CODE_TYPES)[number]

const texts = messages.fields
/** The maximum length of a code's content: the digits that fit into the largest code. */
const MAX_TEXT_LENGTH = 7089

const FIELDS: Readonly<Record<CodeType, () => SingleField[]>> = {
  link: () => [{ name: 'url', ...texts.url, maxLength: 8192, optional: true }],
  text: () => [{ name: 'text', label: texts.text, type: 'multiline', maxLength: MAX_TEXT_LENGTH }],
  wifi: () => [
    { name: 'ssid', label: texts.ssid, maxLength: 32 },
    {
      name: 'encryption',
      label: texts.encryption,
      type: 'choice',
      choices: [
        { value: 'wpa', label: texts.wpa },
        { value: 'sae', label: texts.sae },
        { value: 'wep', label: texts.wep },
        { value: 'none', label: texts.open },
      ],
    },
    { name: 'password', label: texts.password, maxLength: 64, optional: true },
    { name: 'hidden', label: texts.hidden, type: 'check' },
  ],
  vcard: () => [
    ...Object.entries(texts.contact).map(([name, label]) => ({
      name,
      label,
      maxLength: 500,
      optional: true,
    })),
    { name: 'card', ...texts.card, type: 'multiline', maxLength: MAX_TEXT_LENGTH, optional: true },
  ],
  email: () => [
    { name: 'email', label: texts.to, maxLength: 254 },
    { name: 'subject', label: texts.subject, maxLength: 1000, optional: true },
    createMessageField(),
  ],
  phone: () => [createPhoneField()],
  sms: () => [createPhoneField(), createMessageField()],
}

function createPhoneField(): SingleField {
  return { name: 'phone', label: texts.phone, maxLength: 64 }
}

function createMessageField(): SingleField {
  const { message: label } = texts
  return { name: 'message', label, type: 'multiline', maxLength: MAX_TEXT_LENGTH, optional: true }
}

/** Returns the form fields for the content of a code of a type. */
export function listCodeFields(type: CodeType): SingleField[] {
  return FIELDS[type]()
}

/** Returns the form fields for the name, the account's link, the logo URL and the style of a code. */
export function createCommonFields() {
  return {
    name: { name: 'name', ...messages.name, maxLength: 200, optional: true },
    logoAddress: { name: 'logoAddress', ...messages.logoUrl, maxLength: 8192, optional: true },
    link: {
      name: 'link',
      label: messages.source.link,
      maxLength: 2048,
      hint: messages.source.linkHint,
      // Optional, because the form may use the other field.
      optional: true,
      attributes: html` list="link-choices"`,
    },
    dots: {
      name: 'dots',
      label: messages.dots,
      type: 'choice',
      choices: DOTS.map((value) => ({ value, label: messages.dotShapes[value] })),
    },
    eyes: {
      name: 'eyes',
      label: messages.eyes,
      type: 'choice',
      choices: EYES.map((value) => ({ value, label: messages.eyeShapes[value] })),
    },
    caption: {
      name: 'caption',
      label: messages.caption,
      maxLength: 30,
      optional: true,
      hint: messages.captionHint,
    },
  } satisfies Record<string, SingleField>
}
