import { fileURLToPath } from 'node:url'

/** The extension of source files: `.ts` in a clone, `.js` in the compiled package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

type Program = 'worker' | 'importer' | 'follower' | 'hand-over' | 'password-hasher' | 'logo-decoder'

/**
 * Options of Node.js for processes whose speed matters. The small young generation does not slow
 * down requests and imports measurably: docs/decisions/0090-background-processes.md.
 */
export const SMALL_HEAP = ['--max-semi-space-size=4']

/** Options of Node.js for processes that are usually idle. */
export const SMALLEST_HEAP = ['--max-semi-space-size=1', '--optimize-for-size']

/** Returns the path of a program file that runs in a separate process. */
export function programPath(name: Program): string {
  return fileURLToPath(new URL(`./${name}${EXTENSION}`, import.meta.url))
}
