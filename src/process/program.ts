import { fileURLToPath } from 'node:url'

const PRELOADED = new URL('./resolve-siblings.ts', import.meta.url).href

/** The path of a file of this program that a process of its own is to run. */
export function pathOf(file: 'worker.ts' | 'importer.ts'): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url))
}

/** The options of Node.js for such a process: those of this one, and what makes it start sooner. */
export const NODE_OPTIONS = [...process.execArgv, '--import', PRELOADED]
