import { createRequire } from 'node:module'
import type createValidators from '@fastify/ajv-compiler'
import type { BuildCompilerFromPool } from '@fastify/ajv-compiler'
import type createSerializers from '@fastify/fast-json-stringify-compiler'
import type { SerializerFactory } from '@fastify/fast-json-stringify-compiler'
import { lazy } from '../concurrency/memo.ts'

export type Compilers = {
  buildValidator: BuildCompilerFromPool
  buildSerializer: SerializerFactory
}

type Route = { schema?: unknown }
/** A compiled serializer or validator. A validator sets `errors` on each call. */
type Compiled = { (value: unknown): unknown; errors?: unknown }
type Compiler = (route: Route) => Compiled
type Builder = (externalSchemas: unknown, options?: unknown) => Compiler

/**
 * Compiles route schemas like Fastify, but lazily and only once per process for equal schemas. Most
 * API replies share a schema, and startup does not wait for compilation
 * (docs/performance-notes.md). Fastify reads a validator's errors
 * immediately, so routes can share one.
 */
export const compilersFactory: Compilers = {
  buildValidator: shareCompiled(() => loadValidators()()) as unknown as Compilers['buildValidator'],
  buildSerializer: shareCompiled(() =>
    loadSerializers()(),
  ) as unknown as Compilers['buildSerializer'],
}

const require = createRequire(import.meta.url)

function loadValidators(): typeof createValidators {
  return require('@fastify/ajv-compiler')
}

function loadSerializers(): typeof createSerializers {
  return require('@fastify/fast-json-stringify-compiler')
}

/**
 * Loads the compilers. Call this right after startup: an earlier call would slow down startup by
 * 10%, and a later one would slow down the first request.
 */
export function loadCompilers(): void {
  loadValidators()
  loadSerializers()
}

/**
 * Wraps a builder, which `load` returns on first use, so that its compilers return the same function
 * for equal schemas.
 */
function shareCompiled(load: () => unknown): Builder {
  const builder = lazy(load as () => Builder)
  const compilers = new Map<string, Compiler>()
  return (externalSchemas, options) => {
    const key = JSON.stringify([externalSchemas, options])
    const cached = compilers.get(key)
    if (cached) return cached
    const created = memoizeCompiled(lazy(() => builder()(externalSchemas, options)))
    compilers.set(key, created)
    return created
  }
}

function memoizeCompiled(compiler: () => Compiler): Compiler {
  const compiled = new Map<string, Compiled>()
  return (route) => {
    const key = JSON.stringify(route.schema)
    const cached = compiled.get(key)
    if (cached) return cached
    const created = compileLazily(() => compiler()(route))
    compiled.set(key, created)
    return created
  }
}

/** Returns a function that is compiled on its first call. */
function compileLazily(compile: () => Compiled): Compiled {
  const getCompiled = lazy(compile)
  const compileOnDemand: Compiled = (value) => {
    const compiled = getCompiled()
    const result = compiled(value)
    compileOnDemand.errors = compiled.errors
    return result
  }
  return compileOnDemand
}
