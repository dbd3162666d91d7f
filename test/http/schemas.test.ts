import createValidators from '@fastify/ajv-compiler'
import createSerializers from '@fastify/fast-json-stringify-compiler'
import { expect } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('every schema of every route compiles', async ({ app, onTestFinished }) => {
  let compiledSchemas = 0
  /** Wraps the factory of a compiler to count the schemas that it compiles. */
  const countCalls = <Build extends (...args: never[]) => (route: never) => unknown>(
    build: Build,
  ) =>
    ((...args) => {
      const compile = build(...args)
      return (route) => {
        compiledSchemas += 1
        return compile(route)
      }
    }) as Build
  const fastify = await buildApp(app.services, {
    compilers: {
      buildValidator: countCalls(createValidators()),
      buildSerializer: countCalls(createSerializers()),
    },
  })
  onTestFinished(() => fastify.close())
  await fastify.ready()
  expect(compiledSchemas).toBeGreaterThan(300)
})
