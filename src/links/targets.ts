import type { TargetRow } from '../db/schema/links.ts'
import { invalid } from '../errors.ts'

export const MAX_TARGETS = 250

type Options<Entry> = {
  /** The field's API name, for error messages. */
  field: string
  nameField: keyof Entry & string
  /** Returns the canonical form of a name, or undefined for an unknown one. */
  canonical: (name: string) => string | undefined
  checkUrl: (field: string, url: string) => string | Promise<string>
}

/**
 * Validates the entries of a target list and returns them with canonical names.
 *
 * @throws AppError `invalid_input` naming the entry with an unknown or repeated name or an invalid
 * link
 */
export async function parseTargets<Entry extends { link: string }>(
  entries: readonly Entry[],
  { field, nameField, canonical, checkUrl }: Options<Entry>,
): Promise<TargetRow[]> {
  if (entries.length > MAX_TARGETS) throw invalid(field, `must have at most ${MAX_TARGETS} entries`)
  const seen = new Set<string>()
  const rows: TargetRow[] = []
  for (const [index, entry] of entries.entries()) {
    const at = `${field}[${index}]`
    const given = String(entry[nameField])
    const name = canonical(given)
    if (name === undefined)
      throw invalid(`${at}.${nameField}`, `is not a known ${nameField}: ${given.slice(0, 64)}`)
    if (seen.has(name))
      throw invalid(`${at}.${nameField}`, `is listed twice: ${given.slice(0, 64)}`)
    seen.add(name)
    rows.push({ name, link: await checkUrl(`${at}.link`, entry.link) })
  }
  return rows
}
