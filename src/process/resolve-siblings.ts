import { registerHooks } from 'node:module'

/** Packages of which every relative import is of a module beside it, with the ending of its file. */
const LARGE = /\/node_modules\/(kysely|@sinclair\/typebox)\//

/**
 * Packages that others load for what nobody here asks of them: the description as YAML, and exemplars of
 * metrics. They are 123 modules, a twentieth of a worker's start.
 */
const UNUSED: Readonly<Record<string, string>> = {
  yaml: '/@fastify/swagger/',
  '@opentelemetry/api': '/@prometheus-io/client/',
}
const NOTHING = new URL('./nothing.cjs', import.meta.url).href

/**
 * Loaded before the program of a process: finds what a module imports from beside it without looking at
 * every folder above for a `package.json` and at every part of the path for a link. That took a quarter
 * of the time in which a worker loads its thousand modules (decision 0047). Some are left out.
 */
registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL
    const user = UNUSED[specifier]
    if (user && parent?.includes(user)) {
      return { url: NOTHING, format: 'commonjs', shortCircuit: true }
    }
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
