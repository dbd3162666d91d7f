import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'
import type { LinkInput } from '../../links/link-input.ts'

/** Converts a body that passed the schema of links to a `LinkInput`. */
export function readLinkInput(body: object): LinkInput {
  const given = body as Record<string, unknown>
  const fields = Object.fromEntries(FIELD_NAMES.map((name) => [name, given[FIELDS[name].api]]))
  const { custom: alias, domain, pixels, tags } = given
  return { ...fields, alias, domain, pixels, tags } as LinkInput
}
