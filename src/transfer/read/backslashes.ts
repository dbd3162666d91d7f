const BACKSLASH = '\\'.charCodeAt(0)
/** What is written after a backslash for a character that would otherwise end a cell or a row. */
const LETTERS: readonly (readonly [lineBreak: string, letter: string])[] = [
  ['\n', 'n'],
  ['\t', 't'],
  ['\r', 'r'],
]
const TO_LETTER = new Map(LETTERS.map(([each, letter]) => [toByte(each), toByte(letter)]))
const FROM_LETTER = new Map(LETTERS.map(([each, letter]) => [toByte(letter), toByte(each)]))
const MEANINGS: ReadonlyMap<string, string> = new Map([
  ...LETTERS.map(([each, letter]) => [letter, each] as const),
  ...[...'0bfvZ'].map((letter) => [letter, ' '] as const),
])
/** What follows each backslash of a file in which it is an escape. `\N` is NULL. */
const ESCAPABLE = new Set([...'"N', ..."\\'ntr0bfvZ\n\t"].map(toByte))
/** These do not prove it. */
const COMMON = new Set([...'"N'].map(toByte))

/** Returns a reader of consecutive chunks, which then tells whether backslashes are escapes. */
export function createBackslashScan() {
  const findEscaped = createFinder()
  let hasEscape = false
  let hasText = false
  return {
    read(chunk: Buffer): void {
      for (const at of findEscaped(chunk)) {
        const next = chunk[at] ?? 0
        if (!ESCAPABLE.has(next)) hasText = true
        else if (!COMMON.has(next)) hasEscape = true
      }
    },
    areEscapes: (): boolean => hasEscape && !hasText,
  }
}

/**
 * Yields the chunks of a file with its escapes as the parser needs them. In quotes, it drops the
 * backslash and keeps what follows, so that is no longer a letter. Without quotes, it keeps both, but
 * would take a line break or tab for the end of the cell, so that becomes a letter for `resolveEscapes`.
 */
export async function* prepareEscapes(
  chunks: AsyncIterable<Buffer>,
  { isQuoted }: { isQuoted: boolean },
): AsyncGenerator<Buffer, void> {
  const replacements = isQuoted ? FROM_LETTER : TO_LETTER
  const findEscaped = createFinder()
  for await (const chunk of chunks) {
    const copy = Buffer.from(chunk)
    for (const at of findEscaped(chunk)) {
      const byte = copy[at] ?? 0
      copy[at] = replacements.get(byte) ?? byte
    }
    yield copy
  }
}

/** Returns the text of a cell without quotes in which backslashes are escapes. */
export function resolveEscapes(cell: string): string {
  return cell.replaceAll(/\\(.)/gs, (_, next: string) => MEANINGS.get(next) ?? next)
}

/**
 * Returns the function that returns the positions of the characters that a backslash escapes, in
 * each of consecutive chunks.
 */
function createFinder() {
  let isOpen = false
  return (chunk: Buffer): number[] => {
    const positions: number[] = []
    let at = isOpen ? -1 : chunk.indexOf(BACKSLASH)
    isOpen ||= at >= 0
    while (isOpen && at + 1 < chunk.length) {
      positions.push(at + 1)
      at = chunk.indexOf(BACKSLASH, at + 2)
      isOpen = at >= 0
    }
    return positions
  }
}

function toByte(character: string): number {
  return character.charCodeAt(0)
}
