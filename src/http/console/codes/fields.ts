import { html } from '@remix-run/html-template'
import { DOTS, EYES } from '../../../qr/drawing/style.ts'
import { t, tAll } from '../../../texts.ts'
import type { SingleField } from '../resources/form-field.ts'

/** The types of codes, most used first. */
export const CODE_TYPES = ['link', 'text', 'wifi', 'vcard', 'email', 'phone', 'sms'] as const

export type CodeType = (typeof CODE_TYPES)[number]
/** The maximum length of a code's content: the digits that fit into the largest code. */
const MAX_TEXT_LENGTH = 7089

const FIELDS: Readonly<Record<CodeType, () => SingleField[]>> = {
  link: () => [{ name: 'url', ...tAll('code.fields.url'), maxLength: 8192, optional: true }],
  text: () => [
    { name: 'text', label: t('code.fields.text'), type: 'multiline', maxLength: MAX_TEXT_LENGTH },
  ],
  wifi: () => [
    { name: 'ssid', label: t('code.fields.ssid'), maxLength: 32 },
    {
      name: 'encryption',
      label: t('code.fields.encryption'),
      type: 'choice',
      choices: [
        { value: 'wpa', label: t('code.fields.wpa') },
        { value: 'sae', label: t('code.fields.sae') },
        { value: 'wep', label: t('code.fields.wep') },
        { value: 'none', label: t('code.fields.open') },
      ],
    },
    { name: 'password', label: t('code.fields.password'), maxLength: 64, optional: true },
    { name: 'hidden', label: t('code.fields.hidden'), type: 'check' },
  ],
  vcard: () => [
    ...Object.entries(tAll('code.fields.contact')).map(([name, label]) => ({
      name,
      label,
      maxLength: 500,
      optional: true,
    })),
    {
      name: 'card',
      ...tAll('code.fields.card'),
      type: 'multiline',
      maxLength: MAX_TEXT_LENGTH,
      optional: true,
    },
  ],
  email: () => [
    { name: 'email', label: t('code.fields.to'), maxLength: 254 },
    { name: 'subject', label: t('code.fields.subject'), maxLength: 1000, optional: true },
    createMessageField(),
  ],
  phone: () => [createPhoneField()],
  sms: () => [createPhoneField(), createMessageField()],
}

function createPhoneField(): SingleField {
  return { name: 'phone', label: t('code.fields.phone'), maxLength: 64 }
}

function createMessageField(): SingleField {
  return {
    name: 'message',
    label: t('code.fields.message'),
    type: 'multiline',
    maxLength: MAX_TEXT_LENGTH,
    optional: true,
  }
}

/** Returns the form fields for the content of a code of a type. */
export function listCodeFields(type: CodeType): SingleField[] {
  return FIELDS[type]()
}

/** Returns the form fields for the name, the account's link, the logo URL and the style of a code. */
export function createCommonFields() {
  return {
    name: { name: 'name', ...tAll('code.name'), maxLength: 200, optional: true },
    logoAddress: { name: 'logoAddress', ...tAll('code.logoUrl'), maxLength: 8192, optional: true },
    link: {
      name: 'link',
      label: t('code.source.link'),
      maxLength: 2048,
      hint: t('code.source.linkHint'),
      // Optional, because the form may use the other field.
      optional: true,
      attributes: html` list="link-choices"`,
    },
    dots: {
      name: 'dots',
      label: t('code.dots'),
      type: 'choice',
      choices: DOTS.map((value) => ({ value, label: t(`code.dotShapes.${value}`) })),
    },
    eyes: {
      name: 'eyes',
      label: t('code.eyes'),
      type: 'choice',
      choices: EYES.map((value) => ({ value, label: t(`code.eyeShapes.${value}`) })),
    },
    caption: {
      name: 'caption',
      label: t('code.caption'),
      maxLength: 30,
      optional: true,
      hint: t('code.captionHint'),
    },
  } satisfies Record<string, SingleField>
}
