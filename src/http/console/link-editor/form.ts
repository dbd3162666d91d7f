import type { UtmTemplate } from '../../../utm/utm.ts'
import type { FormRule } from './rules/form.ts'

/** A row of a list: a country, device, language or parameter, and its value. */
export type FormRow = { name: string; value: string }

/** The values of the link form. */
export type LinkForm = {
  /** The values of single inputs by name. */
  texts: Readonly<Record<string, string>>
  /** The rows of lists by the first part of their inputs' names. */
  rows: Readonly<Record<string, readonly FormRow[]>>
  rules: readonly FormRule[]
  /** The IDs of the selected pixels. */
  pixels: readonly string[]
  campaigns: readonly string[]
  channels: readonly string[]
}

export const EMPTY_LINK_FORM: LinkForm = {
  texts: {},
  rows: {},
  rules: [],
  pixels: [],
  campaigns: [],
  channels: [],
}

/** Returns the value of an input. */
export function getInputText({ texts }: Pick<LinkForm, 'texts'>, name: string): string {
  return texts[name] ?? ''
}

export type Choice = { value: string; label: string }

/** The choices of the link form. */
export type LinkChoices = {
  /** The service's own host. */
  host: string
  /** The hosts of branded domains. */
  domains: readonly string[]
  splashes: readonly Choice[]
  overlays: readonly Choice[]
  pixels: readonly Choice[]
  campaigns: readonly Choice[]
  channels: readonly Choice[]
  /** Tags of the account's links. */
  tags: readonly string[]
  countries: readonly string[]
  devices: readonly Choice[]
  languages: readonly string[]
  timeZones: readonly string[]
  templates: readonly UtmTemplate[]
}

/** An error and the id of its field or list, or `form`. */
export type FieldError = { field: string; text: string }

/** A form with everything needed to render it. */
export type FilledForm = {
  form: LinkForm
  choices: LinkChoices
  fieldError?: FieldError | undefined
  /** The pressed button: the name of a list that gets more empty rows, or another action. */
  more?: string | undefined
  /** Whether the link currently has a password. */
  hasPassword: boolean
  /** The id of the element to focus after a button of the targeting panel. */
  focus?: string | undefined
  /** The result of fetching the title of the destination. */
  fetched?: string | undefined
  /** The result of a UTM template action, the selected template, and a typed name. */
  template?: string | undefined
  templateId?: number | undefined
  templateName?: string | undefined
  /** The user's time zone, for new time conditions. */
  timeZone: string
}

/** Returns the error of a field, if any. */
export function findErrorText(
  { fieldError }: Pick<FilledForm, 'fieldError'>,
  field: string,
): string | undefined {
  return fieldError?.field === field ? fieldError.text : undefined
}
