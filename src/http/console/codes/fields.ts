import { html } from '@remix-run/html-template'
import { DOTS, EYES } from '../../../qr/drawing/style.ts'
import type { SingleField } from '../resources/form-field.ts'
import { codeMessages as messages } from './messages.ts'

/** The types of codes, most used first. */
export const CODE_TYPES = ['link', 'text', 'wifi', 'vcard', 'email', 'phone', 'sms'] as const

export type CodeType = (typeof CODE_TYPES)[number]

/** The display names of the types. */
export const codeTypes: Readonly<Record<CodeType, string>> = {
  link: 'Link',
  text: 'Text',
  wifi: 'Wi-Fi',
  vcard: 'Contact',
  email: 'Email',
  phone: 'Phone call',
  sms: 'SMS',
}

const phone: SingleField = { name: 'phone', label: 'Phone number', maxLength: 64 }
const message: SingleField = {
  name: 'message',
  label: 'Message',
  type: 'multiline',
  maxLength: 7089,
  optional: true,
}

/** Returns an optional field of a contact. */
function ofContact(name: string, label: string): SingleField {
  return { name, label, maxLength: 500, optional: true }
}

/** The fields of the content of each type. */
export const codeFields: Readonly<Record<CodeType, readonly SingleField[]>> = {
  link: [
    {
      name: 'url',
      label: 'Destination URL',
      maxLength: 8192,
      optional: true,
      hint: 'Uses a trackable short link you can edit later.',
    },
  ],
  text: [{ name: 'text', label: 'Text', type: 'multiline', maxLength: 7089 }],
  wifi: [
    { name: 'ssid', label: 'Network name (SSID)', maxLength: 32 },
    {
      name: 'encryption',
      label: 'Security',
      type: 'choice',
      choices: [
        { value: 'wpa', label: 'WPA, WPA2 or WPA3' },
        { value: 'wep', label: 'WEP' },
        { value: 'none', label: 'None' },
      ],
    },
    { name: 'password', label: 'Password', maxLength: 64, optional: true },
    { name: 'hidden', label: 'Hidden network', type: 'check' },
  ],
  vcard: [
    ofContact('fname', 'First name'),
    ofContact('lname', 'Last name'),
    ofContact('org', 'Organization'),
    ofContact('title', 'Job title'),
    ofContact('phone', 'Work phone'),
    ofContact('cell', 'Mobile phone'),
    ofContact('fax', 'Fax'),
    ofContact('email', 'Email'),
    ofContact('website', 'Website'),
    ofContact('street', 'Street'),
    ofContact('city', 'City'),
    ofContact('state', 'State'),
    ofContact('zip', 'Postcode'),
    ofContact('country', 'Country'),
    {
      name: 'card',
      label: 'Paste a vCard',
      type: 'multiline',
      maxLength: 7089,
      optional: true,
      hint: 'Overrides the fields above.',
    },
  ],
  email: [
    { name: 'email', label: 'To', maxLength: 254 },
    { name: 'subject', label: 'Subject', maxLength: 1000, optional: true },
    message,
  ],
  phone: [phone],
  sms: [phone, message],
}

/** The fields of the style and the name. */
export const lookFields = {
  name: {
    name: 'name',
    label: 'Name',
    maxLength: 200,
    optional: true,
    hint: 'Only you see this name.',
  },
  logoAddress: {
    name: 'logoAddress',
    label: 'Or logo URL',
    maxLength: 8192,
    optional: true,
    hint: 'PNG or JPEG, or the name of a built-in logo.',
  },
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
