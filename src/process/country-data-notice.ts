import type { Config } from '../config.ts'

/**
 * Returns the note about the bundled country data for the first start, or an empty text if the
 * operator has set another table.
 */
export function formatCountryDataNotice({ geoipFile }: Config): string {
  if (geoipFile !== undefined) return ''
  return `
Country statistics use a bundled table that no longer gets updates. To use a
newer table, set GEOIP_DB: docs/country-data.md
`
}
