/** One line of a list of a link: a place, device, language or parameter and what belongs to it. */
export type FormRow = { name: string; value: string }

/** The lists of a link, by the first part of the names and ids of their fields. */
export const ROW_LISTS = ['geo', 'device', 'language', 'parameter'] as const
export type RowList = (typeof ROW_LISTS)[number]

/** The form of a link as it is shown and typed. */
export type LinkForm = Record<RowList, readonly FormRow[]> & {
  url: string
  alias: string
  /** A branded domain's host, empty for the service's own. */
  domain: string
  /** With commas between them. */
  tags: string
  /** `YYYY-MM-DD`, in UTC. */
  expiresDay: string
  /** `HH:MM` or `HH:MM:SS`; empty for the end of the day. */
  expiresTime: string
  /** `direct`, `frame`, `splash`, `12` for the splash page 12 or `overlay-12`. */
  type: string
  /** Ids. */
  pixels: readonly string[]
  campaigns: readonly string[]
  channels: readonly string[]
  metaTitle: string
  metaDescription: string
  metaImage: string
  /** A new password; the one there is is never shown. */
  password: string
  /** Whether visitors are to be asked for none any more. */
  removePassword: boolean
}

export const EMPTY_LINK_FORM: LinkForm = {
  url: '',
  alias: '',
  domain: '',
  tags: '',
  expiresDay: '',
  expiresTime: '',
  geo: [],
  device: [],
  language: [],
  parameter: [],
  type: 'direct',
  pixels: [],
  campaigns: [],
  channels: [],
  metaTitle: '',
  metaDescription: '',
  metaImage: '',
  password: '',
  removePassword: false,
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
}

/** What is wrong with a form, and the id of the field, or of the list, where it is; `form` for the whole. */
export type Fault = { field: string; text: string }

/** A form with all that it takes to draw it. */
export type FilledForm = {
  form: LinkForm
  choices: LinkChoices
  fault?: Fault | undefined
  /** The list that was asked to have more empty rows. */
  more?: RowList | undefined
  /** Whether the link asks its visitors for a password now. */
  hasPassword: boolean
  /** Rules of the link that this form does not show, and keeps. */
  otherRules: number
}

/** What is wrong with a field, if anything is. */
export function errorAt({ fault }: Pick<FilledForm, 'fault'>, field: string): string | undefined {
  return fault?.field === field ? fault.text : undefined
}
