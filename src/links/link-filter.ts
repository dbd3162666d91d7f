import { foldCase } from '../tags/tag.ts'
import { requireText } from '../text.ts'

export const LINK_STATES = ['active', 'scheduled', 'disabled', 'expired', 'broken'] as const

/**
 * The state of a link. A disabled link is `disabled` whether or not it has expired. An active link is also
 * `scheduled` before its start, and `broken` if its destination does not work.
 */
export type LinkState = (typeof LINK_STATES)[number]

/** Selects links of an account. A link must match every given property. */
export type LinkFilter = {
  /** Case-insensitive text in the alias, destination, title or a tag. */
  search?: string | undefined
  /** A tag of the link, case-insensitive. */
  tag?: string | undefined
  state?: LinkState | undefined
  /** The links' branded domain. */
  domainId?: number | undefined
  campaignId?: number | undefined
  /** Creation time: from inclusive, to exclusive. */
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  neverClicked?: boolean | undefined
  /** Whether the links are archived; both kinds without it. */
  archived?: boolean | undefined
}

/** A filter prepared for queries: normalized texts, without conditions that match everything. */
export type LinkCriteria = {
  search?: SearchTerms
  tagKey?: string
  state?: LinkState
  domainId?: number
  campaignId?: number
  createdFrom?: Date
  createdBefore?: Date
  neverClicked?: true
  archived?: boolean
}

export type SearchTerms = {
  text: string
  /** The text percent-encoded as in URLs, if it has letters beyond ASCII. */
  encoded: string | undefined
  /** Uppercase letters beyond ASCII, and their lowercase letters in the same order. */
  capitals: string
  small: string
}

const MAX_LENGTH = 500

/**
 * Returns a filter's criteria, or undefined if it matches all links.
 *
 * @throws AppError `invalid_input` naming `q` or `tag`, the names on every surface
 */
export function readCriteria({
  search,
  tag,
  state,
  domainId,
  campaignId,
  createdFrom,
  createdBefore,
  neverClicked,
  archived,
}: LinkFilter): LinkCriteria | undefined {
  const criteria = {
    ...(search?.trim() && { search: searchTerms(requireText('q', search, MAX_LENGTH)) }),
    ...(tag?.trim() && { tagKey: foldCase(requireText('tag', tag, MAX_LENGTH)) }),
    ...(state && { state }),
    ...(domainId !== undefined && { domainId }),
    ...(campaignId !== undefined && { campaignId }),
    ...(createdFrom && { createdFrom }),
    ...(createdBefore && { createdBefore }),
    ...(neverClicked && { neverClicked }),
    ...(archived !== undefined && { archived }),
  }
  return Object.keys(criteria).length > 0 ? criteria : undefined
}

/**
 * Returns a typed text in the forms to search for. Stored search texts are lowercase in ASCII only.
 */
export function searchTerms(typed: string): SearchTerms {
  const decoded = decodeNonAscii(typed)
  const text = foldCase(decoded ?? typed)
  const pairs = [...new Set(text)].flatMap((letter) =>
    uppercaseForms(letter).map((c) => [c, letter]),
  )
  return {
    text,
    encoded: encodedText(),
    capitals: pairs.map(([capital]) => capital).join(''),
    small: pairs.map(([, letter]) => letter).join(''),
  }

  function encodedText(): string | undefined {
    if (decoded !== undefined) return typed.toLowerCase()
    return ASCII.test(text) ? undefined : encodeURI(text).toLowerCase()
  }
}

const ASCII = /^[\0-\x7f]*$/

/** Decodes a percent-encoded text, if it has letters beyond ASCII, as aliases may. */
function decodeNonAscii(typed: string): string | undefined {
  if (!typed.includes('%')) return undefined
  try {
    const decoded = decodeURIComponent(typed)
    return ASCII.test(decoded) || decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}

function uppercaseForms(letter: string): string[] {
  const capitals = letter === 'σ' ? ['Σ', 'ς'] : [letter.toUpperCase()]
  return capitals.filter(
    (capital) => capital > '\x7f' && capital !== letter && [...capital].length === 1,
  )
}
