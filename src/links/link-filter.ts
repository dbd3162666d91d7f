import { foldCase } from '../tags/tag.ts'
import { requireText } from '../text.ts'

/** Whether a link leads visitors on. One that is disabled counts as that, expired or not. */
export type LinkState = 'active' | 'disabled' | 'expired'

/** Which links of an account are wanted: those that meet everything that is given. */
export type LinkFilter = {
  /** Found, without case, in the alias, the target, the title or a tag. */
  search?: string | undefined
  /** One of the link's tags, without case. */
  tag?: string | undefined
  state?: LinkState | undefined
  /** The branded domain that the links are on. */
  domainId?: number | undefined
  campaignId?: number | undefined
  /** Created at this time or later, and before that one. */
  createdFrom?: Date | undefined
  createdBefore?: Date | undefined
  neverClicked?: boolean | undefined
}

/** The same as the database is asked: the texts folded, and nothing that does not narrow. */
export type LinkCriteria = {
  search?: SearchTerms
  tagKey?: string
  state?: LinkState
  domainId?: number
  campaignId?: number
  createdFrom?: Date
  createdBefore?: Date
  neverClicked?: true
}

export type SearchTerms = {
  text: string
  /** How an address spells the same, where the text has letters beyond ASCII. */
  encoded: string | undefined
  /** Capital letters beyond ASCII and, in their order, the small ones that the texts have for them. */
  capitals: string
  small: string
}

const LONGEST = 500

/**
 * What a filter asks for; undefined where it leaves nothing out.
 *
 * @throws AppError `invalid_input` naming `q` or `tag`, as every surface calls them
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
}: LinkFilter): LinkCriteria | undefined {
  const criteria = {
    ...(search?.trim() && { search: searchTerms(requireText('q', search, LONGEST)) }),
    ...(tag?.trim() && { tagKey: foldCase(requireText('tag', tag, LONGEST)) }),
    ...(state && { state }),
    ...(domainId !== undefined && { domainId }),
    ...(campaignId !== undefined && { campaignId }),
    ...(createdFrom && { createdFrom }),
    ...(createdBefore && { createdBefore }),
    ...(neverClicked && { neverClicked }),
  }
  return Object.keys(criteria).length > 0 ? criteria : undefined
}

/** A typed text as it is looked for in texts of which only the letters of ASCII are small. */
export function searchTerms(typed: string): SearchTerms {
  const decoded = decodedBeyondAscii(typed)
  const text = foldCase(decoded ?? typed)
  const pairs = [...new Set(text)].flatMap((letter) => capitalsOf(letter).map((c) => [c, letter]))
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

/** What a percent-encoded text says, where that has letters beyond ASCII, as an alias may. */
function decodedBeyondAscii(typed: string): string | undefined {
  if (!typed.includes('%')) return undefined
  try {
    const decoded = decodeURIComponent(typed)
    return ASCII.test(decoded) || decoded.includes('\0') ? undefined : decoded
  } catch {
    return undefined
  }
}

function capitalsOf(letter: string): string[] {
  const capitals = letter === 'σ' ? ['Σ', 'ς'] : [letter.toUpperCase()]
  return capitals.filter(
    (capital) => capital > '\x7f' && capital !== letter && [...capital].length === 1,
  )
}
