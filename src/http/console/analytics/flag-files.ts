import { FLAGS } from './flag-shapes.ts'

/** The flags as SVG documents, by ISO 3166-1 alpha-2 code. */
export const flags: ReadonlyMap<string, string> = new Map(
  FLAGS.trim()
    .split('\n')
    .map((row) => [row.slice(0, 2), row.slice(3)]),
)

/** Returns the file name of a flag, such as `flag-DE.svg`. */
export function getFlagFileName(code: string): string {
  return `flag-${code}.svg`
}
