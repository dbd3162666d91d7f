import { readFileSync } from 'node:fs'

const file = new URL('./flags.json', import.meta.url)

/** The flags as SVG documents, by ISO 3166-1 alpha-2 code. */
export const flags: ReadonlyMap<string, string> = new Map(
  Object.entries(JSON.parse(readFileSync(file, 'utf8'))),
)

/** Returns the file name of a flag, such as `flag-DE.svg`. */
export function getFlagFileName(code: string): string {
  return `flag-${code}.svg`
}
