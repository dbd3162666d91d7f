import { fileURLToPath } from 'node:url'

/** The path of a file of this program that a process of its own is to run. */
export function pathOf(file: 'worker.ts' | 'importer.ts'): string {
  return fileURLToPath(new URL(`../${file}`, import.meta.url))
}
