import type { UtmTemplate } from '../../../utm/utm.ts'
import type { FormRule } from './rules/form.ts'

/** One line of a list of a link: a place, device, language or parameter and what belongs to it. */
export type FormRow = { name: string; value: string }

/** The form of a link as it is shown and typed. */
export type LinkForm = {
  /** What single inputs hold, by their names. */
  texts: Readonly<Record<string, string>>
  /** What lists of rows hold, by the first part of their inputs' names. */
  rows: Readonly<Record<string, readonly FormRow[]>>
  rules: readonly FormRule[]
  /** Ids. */
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

/** Returns what an input holds. */
export function typedText({ texts }: Pick<LinkForm, 'texts'>, name: string): string {
  return texts[name] ?? ''
}

export type Choice = { value: string; label: string }

/** What an account may choose from in the form of a link. */
export type LinkChoices = {
  /** The service's own host. */
  host: string
  /** Hosts of branded domains. */
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

/** What is wrong with a form, and the id of the field, or of the list, where it is; `form` for the whole. */
export type Fault = { field: string; text: string }

/** A form with all that it takes to draw it. */
export type FilledForm = {
  form: LinkForm
  choices: LinkChoices
  fault?: Fault | undefined
  /** The list that was asked to have more empty rows. */
  more?: string | undefined
  /** Whether the link asks its visitors for a password now. */
  hasPassword: boolean
  /** The id of the element to focus after a button of the targeting panel. */
  focus?: string | undefined
  /** What came of fetching the title of the destination. */
  fetched?: string | undefined
  /** What became of a UTM template, the one to select, and a name that was typed for one. */
  template?: string | undefined
  templateId?: number | undefined
  templateName?: string | undefined
  /** The user's time zone, for new time conditions. */
  timeZone: string
}

/** What is wrong with a field, if anything is. */
export function errorAt({ fault }: Pick<FilledForm, 'fault'>, field: string): string | undefined {
  return fault?.field === field ? fault.text : undefined
}
