import type { BioLink } from '../db/schema/pages.ts'
import { parseDestinationUrl } from '../destination-url.ts'
import { parseAccent } from '../domains/branded-domain.ts'
import { invalid } from '../errors.ts'
import { normalizeOptionalText } from '../text.ts'
import { BIO_THEMES, type BioTheme } from './bio.ts'

/** The properties of a bio page as sent by a client. Null has the same meaning as undefined. */
export type BioInput = {
  alias: string
  title: string
  text?: string | null
  /** A link without a title is shown with its host. */
  links?: readonly { title?: string | null; url: string }[] | null
  theme?: string | null
  /** `#rrggbb` */
  color?: string | null
  /** A picture from `readBioPicture`. */
  picture?: Buffer | null
}

/** Changes of a bio page. Undefined leaves a field unchanged, null clears it. */
export type BioChanges = { [Field in keyof BioInput]?: BioInput[Field] | null }

export const DEFAULT_THEME: BioTheme = 'auto'
export const DEFAULT_COLOR = '#0b6b5a'

/** The maximum number of characters in a title of a page or button, and in the text of a page. */
export const MAX_TITLE = 200
export const MAX_TEXT = 5000
const MAX_LINKS = 100

/**
 * Validates the links of a page.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readLinks(links: NonNullable<BioInput['links']>): BioLink[] {
  if (links.length > MAX_LINKS) throw invalid('links', 'at_most', { max: MAX_LINKS })
  return links.map(readLink)
}

/** Parses the name of a theme. @throws AppError `invalid_input` naming `theme` */
export function parseTheme(text: string): BioTheme {
  const theme = BIO_THEMES.find((each) => each === text)
  if (!theme) throw invalid('theme', 'one_of', { choices: BIO_THEMES.join(', ') })
  return theme
}

/** Parses a color. @throws AppError `invalid_input` naming `color` */
export function parseColor(text: string): string {
  return parseAccent(text, 'color')
}

function readLink({ title, url }: NonNullable<BioInput['links']>[number], index: number): BioLink {
  const target = parseDestinationUrl(`links[${index}].url`, url)
  const name = normalizeOptionalText(`links[${index}].title`, title, MAX_TITLE)
  return { title: name ?? target.host, url: target.href }
}
