import { fileURLToPath } from 'node:url'

/** The extension of source files: `.ts` in a clone, `.js` in the compiled package. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

type Program = 'worker' | 'importer' | 'follower' | 'hand-over' | 'password-hasher' | 'logo-decoder'

/** Returns the path of a program file that runs in a separate process. */
export function programPath(name: Program): string {
  return fileURLToPath(new URL(`./${name}${EXTENSION}`, import.meta.url))
}
