import type { FieldInput } from './fields.ts'

/**
 * What a client asks of a link, as it was sent. On an update `undefined` leaves a field as it is and
 * null clears it; on a creation the two are the same.
 */
export type LinkInput = Omit<FieldInput, 'url'> & {
  url: string
  alias?: string | null | undefined
  domain?: string | null | undefined
  /** Ids of the account's pixels. */
  pixels?: readonly number[] | null | undefined
  /** As `parseTags` reads them. */
  tags?: readonly string[] | null | undefined
}
