import { FIELD_NAMES, FIELDS } from '../../links/fields.ts'
import type { LinkInput } from '../../links/link-input.ts'

/** Converts a validated request body to a `LinkInput`. */
export function readLinkInput(body: object): LinkInput {
  const values = body as Record<string, unknown>
  const fields = Object.fromEntries(FIELD_NAMES.map((name) => [name, values[FIELDS[name].api]]))
  const { custom: alias, domain, pixels, tags } = values
  return { ...fields, alias, domain, pixels, tags } as LinkInput
}
