import type { BioLink } from '../db/schema/pages.ts'
import { invalid } from '../errors.ts'
import { parseTargetUrl } from '../target-url.ts'
import { optionalText } from '../text.ts'

/** The properties of a bio page as sent by a client. Null is the same as undefined. */
export type BioInput = {
  alias: string
  title: string
  text?: string | null
  /** A link without a title shows its host. */
  links?: readonly { title?: string | null; url: string }[] | null
}

/** Changes of a bio page: undefined keeps a field, null clears it. */
export type BioChanges = { [Field in keyof BioInput]?: BioInput[Field] | null }

const MAX_LINKS = 100

/**
 * Validates the links of a page.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readLinks(links: NonNullable<BioInput['links']>): BioLink[] {
  if (links.length > MAX_LINKS) throw invalid('links', `must be at most ${MAX_LINKS}`)
  return links.map(readLink)
}

function readLink({ title, url }: NonNullable<BioInput['links']>[number], index: number): BioLink {
  const target = parseTargetUrl(`links[${index}].url`, url)
  const name = optionalText(`links[${index}].title`, title, 200)
  return { title: name ?? target.host, url: target.href }
}
