import { fileURLToPath } from 'node:url'

/** The extension of source files: `.ts` in a clone, `.js` in the compiled package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

type Program = 'worker' | 'importer' | 'hand-over' | 'password-hasher' | 'logo-decoder'

/**
 * Node.js options for processes that must be fast. A small young generation does not slow down
 * requests or imports measurably: docs/performance-notes.md.
 */
export const SMALL_HEAP = ['--max-semi-space-size=4']

/** Returns the path of the file that a separate process runs. */
export function getProgramPath(name: Program): string {
  return fileURLToPath(new URL(`./${name}${EXTENSION}`, import.meta.url))
}
