import { FIELD_NAMES, FIELDS } from '../../../links/fields.ts'
import { type Link, toFieldValues } from '../../../links/link.ts'
import { describeValue, getFieldLabel } from './history/words.ts'

/** A setting of a link as text. */
export type SettingView = { label: string; text: string }

/** Fields that the page shows elsewhere. */
const SHOWN_ELSEWHERE: ReadonlySet<string> = new Set(['url', 'metaTitle', 'password'])

/** Returns the settings of a link that differ from the defaults, with dates in a time zone. */
export function listSettings(link: Link, zone: string): SettingView[] {
  const values = toFieldValues(link)
  return FIELD_NAMES.flatMap((name) => {
    const { api, columns } = FIELDS[name]
    // Fields without columns repeat the values of other fields.
    const isDerived = Object.keys(columns).length === 0
    if (isDerived || SHOWN_ELSEWHERE.has(name) || isDefault(values[name])) return []
    return [{ label: getFieldLabel(api), text: describeValue(api, values[name], zone) }]
  })
}

function isDefault(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === null || value === false || value === 'direct'
}
