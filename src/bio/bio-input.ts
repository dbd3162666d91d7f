import type { BioLink } from '../db/schema/pages.ts'
import { invalid } from '../errors.ts'
import { parseTargetUrl } from '../target-url.ts'
import { optionalText } from '../text.ts'

/** What its owner says of a bio page; null is as good as nothing. */
export type BioInput = {
  alias: string
  title: string
  text?: string | null
  /** A link without a title is called by its host. */
  links?: readonly { title?: string | null; url: string }[] | null
}

/** What is changed of a bio page: what is absent stays, null clears. */
export type BioChanges = { [Field in keyof BioInput]?: BioInput[Field] | null }

const MAX_LINKS = 100

/** The links of a page in their order. @throws AppError `invalid_input` naming the field */
export function readLinks(links: NonNullable<BioInput['links']>): BioLink[] {
  if (links.length > MAX_LINKS) throw invalid('links', `must be at most ${MAX_LINKS}`)
  return links.map(readLink)
}

function readLink({ title, url }: NonNullable<BioInput['links']>[number], index: number): BioLink {
  const target = parseTargetUrl(`links[${index}].url`, url)
  const name = optionalText(`links[${index}].title`, title, 200)
  return { title: name ?? target.host, url: target.href }
}
