import createValidators, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'
import createSerializers, { type SerializerFactory } from '@fastify/fast-json-stringify-compiler'

type Route = { schema?: unknown }

/**
 * What makes functions of the routes' schemas, as Fastify itself does it, but of equal schemas once for
 * each process: most replies of the API share theirs (decision 0024). A validator keeps its errors only
 * until its caller has read them, so routes may share one.
 */
export const compilersFactory = {
  buildValidator: onceEach(createValidators()) as BuildCompilerFromPool,
  buildSerializer: onceEach(createSerializers()) as SerializerFactory,
}

/** The same builder, whose compilers give for equal schemas among equal others the same function. */
function onceEach<Others, Options, Result>(
  build: (others: Others, options?: Options) => (route: never) => Result,
) {
  const compilers = new Map<string, (route: Route) => Result>()
  return (others: Others, options?: Options) => {
    const key = JSON.stringify([others, options])
    const known = compilers.get(key)
    if (known) return known
    const made = remembering(build(others, options))
    compilers.set(key, made)
    return made
  }
}

function remembering<Result>(compile: (route: never) => Result): (route: Route) => Result {
  const compiled = new Map<string, Result>()
  return (route) => {
    const key = JSON.stringify(route.schema)
    const known = compiled.get(key)
    if (known) return known
    const made = compile(route as never)
    compiled.set(key, made)
    return made
  }
}
