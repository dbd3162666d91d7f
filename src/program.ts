import { fileURLToPath } from 'node:url'

/** The extension of source files: `.ts` in a clone, `.js` in the package, which is compiled. */
const EXTENSION = import.meta.url.endsWith('.ts') ? '.ts' : '.js'

type Program = 'worker' | 'importer' | 'follower' | 'password-hasher' | 'logo-decoder'

/** The path of a file of this program that a process of its own runs. */
export function programPath(name: Program): string {
  return fileURLToPath(new URL(`./${name}${EXTENSION}`, import.meta.url))
}
