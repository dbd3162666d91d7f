import type { TargetRow } from '../db/schema/links.ts'
import { invalid } from '../errors.ts'

export const MAX_TARGETS = 250

type Options<Entry> = {
  /** The field's name in requests, for messages. */
  field: string
  nameField: keyof Entry & string
  /** The canonical form of a name, or undefined for one that is not known. */
  canonical: (name: string) => string | undefined
  checkUrl: (field: string, url: string) => string | Promise<string>
}

/**
 * The entries of one targeting list, their names in canonical form.
 *
 * @throws AppError `invalid_input` naming the entry with an unknown or repeated name or a bad link
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
