import type { FieldInput } from './fields.ts'

/**
 * The properties of a link as sent by a client. In an update, `undefined` leaves a field unchanged
 * and null clears it. In a creation, both select the default.
 */
export type LinkInput = Omit<FieldInput, 'url'> & {
  url: string
  alias?: string | null | undefined
  domain?: string | null | undefined
  /** Ids of the account's pixels. */
  pixels?: readonly number[] | null | undefined
  /** The result of `parseTags`. */
  tags?: readonly string[] | null | undefined
}
