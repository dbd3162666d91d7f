import { SETTINGS } from './settings.ts'

const NAMES = Object.keys(SETTINGS)

/**
 * Returns a sentence for each environment variable that resembles a setting but is none, with the
 * nearest setting.
 */
export function findMisspelledSettings(env: Record<string, string | undefined>): string[] {
  return Object.keys(env).flatMap((name) => {
    const nearest = NAMES.includes(name) ? undefined : findNearest(name, env[name] ?? '')
    return nearest ? [`${name} is not a setting: did you mean ${nearest}?`] : []
  })
}

function findNearest(name: string, value: string): string | undefined {
  // Kubernetes sets such variables for a service named `brevis`.
  if (/^BREVIS_(PORT|SERVICE)/i.test(name) || value.startsWith('tcp://')) return undefined
  const plain = toPlain(name)
  const same = NAMES.find((each) => toPlain(each) === plain)
  if (same) return same
  const candidates = NAMES.map((each) => ({ each, distance: countEdits(plain, toPlain(each)) }))
  const [best] = candidates.sort((a, b) => a.distance - b.distance)
  if (!best || best.distance > maxEdits(best.each)) return undefined
  return best.each
}

/** Short names are close to many words, such as PORT to POST. */
function maxEdits(name: string): number {
  if (name.length < 7) return 0
  return name.length < 10 ? 1 : 2
}

function toPlain(name: string): string {
  return name
    .toUpperCase()
    .replace(/^BREVIS_/, '')
    .replaceAll(/[^A-Z0-9]/g, '')
}

/** Counts the insertions, deletions, replacements and swaps of neighbors between two words. */
function countEdits(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, column) => column)]
  const at = (row: number, column: number) => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= from.length; row += 1) {
    rows[row] = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[row - 1] === to[column - 1]
      const isSwap = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      const edits = [at(row - 1, column) + 1, at(row, column - 1) + 1]
      edits.push(at(row - 1, column - 1) + (isSame ? 0 : 1))
      if (isSwap) edits.push(at(row - 2, column - 2) + 1)
      rows[row]?.push(Math.min(...edits))
    }
  }
  return at(from.length, to.length)
}
