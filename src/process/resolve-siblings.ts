import { registerHooks } from 'node:module'

/** Packages of which every relative import is of a module beside it, with the ending of its file. */
const LARGE = /\/node_modules\/(kysely|@sinclair\/typebox)\//

/**
 * Loaded before the program of a process: finds what a module imports from beside it without looking at
 * every folder above for a `package.json` and at every part of the path for a link. That took a quarter
 * of the time in which a worker loads its thousand modules (decision 0047).
 */
registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL
    const format = parent && specifier.startsWith('.') ? formatOf(specifier, parent) : undefined
    if (parent === undefined || format === undefined) return next(specifier, context)
    return { url: new URL(specifier, parent).href, format, shortCircuit: true }
  },
})

function formatOf(specifier: string, parent: string): string | undefined {
  if (specifier.endsWith('.ts')) return 'module-typescript'
  if (specifier.endsWith('.mjs')) return 'module'
  return specifier.endsWith('.js') && LARGE.test(parent) ? 'module' : undefined
}
