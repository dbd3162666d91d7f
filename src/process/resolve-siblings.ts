import { existsSync } from 'node:fs'
import { type ResolveFnOutput, registerHooks } from 'node:module'

/** Packages of which every relative import is of a module beside it, with the ending of its file. */
const LARGE = /\/node_modules\/(kysely|@sinclair\/typebox)\//

/**
 * Packages that others load for what nobody here asks of them: the description as YAML, exemplars of
 * metrics, and schemas of the kind that is called JTD. They are 140 modules, a tenth of a worker's.
 */
const UNUSED: Readonly<Record<string, string>> = {
  yaml: '/@fastify/swagger/',
  '@opentelemetry/api': '/@prometheus-io/client/',
  'ajv/dist/jtd': '/@fastify/ajv-compiler/',
}
const NOTHING = new URL('./nothing.cjs', import.meta.url).href
const PROGRAM = new URL('../', import.meta.url).href

/** Where the packages are that the program itself imports: each name leads all its modules to one place. */
const packages = new Map<string, ResolveFnOutput>()

/**
 * Loaded before the program of a process: finds what a module imports from beside it without looking at
 * every folder above for a `package.json` and at every part of the path for a link, and a package once.
 * That took a quarter of the time in which a worker loads its thousand modules (decision 0047). Some are
 * left out.
 */
registerHooks({
  resolve(specifier, context, next) {
    const parent = context.parentURL
    if (parent === undefined) return next(specifier, context)
    const user = UNUSED[specifier]
    if (user && parent.includes(user)) {
      return { url: NOTHING, format: 'commonjs', shortCircuit: true }
    }
    const isRequired = context.conditions.includes('require')
    if (!specifier.startsWith('.')) {
      // A package may have one file to import and another to require.
      if (isRequired || !parent.startsWith(PROGRAM)) return next(specifier, context)
      const known = packages.get(specifier)
      if (known) return known
      const found = next(specifier, context)
      packages.set(specifier, { ...found, shortCircuit: true })
      return found
    }
    const format = formatOf(specifier, parent)
    if (format) return { url: new URL(specifier, parent).href, format, shortCircuit: true }
    const url = isRequired ? requiredFile(specifier, parent) : undefined
    return url ? { url, shortCircuit: true } : next(specifier, context)
  },
})

function formatOf(specifier: string, parent: string): string | undefined {
  if (specifier.endsWith('.ts')) return 'module-typescript'
  if (specifier.endsWith('.mjs')) return 'module'
  return specifier.endsWith('.js') && LARGE.test(parent) ? 'module' : undefined
}

function requiredFile(specifier: string, parent: string): string | undefined {
  const url = new URL(specifier.endsWith('.js') ? specifier : `${specifier}.js`, parent)
  return existsSync(url) ? url.href : undefined
}
