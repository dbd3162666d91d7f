import createValidators, { type BuildCompilerFromPool } from '@fastify/ajv-compiler'
import createSerializers, { type SerializerFactory } from '@fastify/fast-json-stringify-compiler'
import { lazy } from '../concurrency/lazy.ts'

export type Compilers = {
  buildValidator: BuildCompilerFromPool
  buildSerializer: SerializerFactory
}

type Route = { schema?: unknown }
/** A validator, which keeps what was wrong with the last value, or a serializer. */
type Compiled = { (value: unknown): unknown; errors?: unknown }
type Compiler = (route: Route) => Compiled
type Builder = (others: unknown, options?: unknown) => Compiler

/**
 * What makes functions of the routes' schemas, as Fastify itself does it, but of equal schemas once for
 * each process, and when the first request needs it: most replies of the API share theirs, and a start
 * waits for none (decision 0024). A validator keeps its errors only until its caller has read them, so
 * routes may share one.
 */
export const compilersFactory: Compilers = {
  buildValidator: onceEach(createValidators() as Builder) as unknown as Compilers['buildValidator'],
  buildSerializer: onceEach(
    createSerializers() as Builder,
  ) as unknown as Compilers['buildSerializer'],
}

/** The same builder, whose compilers give for equal schemas among equal others the same function. */
function onceEach(build: Builder): Builder {
  const compilers = new Map<string, Compiler>()
  return (others, options) => {
    const key = JSON.stringify([others, options])
    const known = compilers.get(key)
    if (known) return known
    const made = remembering(build(others, options))
    compilers.set(key, made)
    return made
  }
}

function remembering(compile: Compiler): Compiler {
  const compiled = new Map<string, Compiled>()
  return (route) => {
    const key = JSON.stringify(route.schema)
    const known = compiled.get(key)
    if (known) return known
    const made = whenNeeded(() => compile(route))
    compiled.set(key, made)
    return made
  }
}

/** The function that is compiled, which it is when it is first called. */
function whenNeeded(compile: () => Compiled): Compiled {
  const made = lazy(compile)
  const later: Compiled = (value) => {
    const compiled = made()
    const result = compiled(value)
    later.errors = compiled.errors
    return result
  }
  return later
}
