import createValidators from '@fastify/ajv-compiler'
import createSerializers from '@fastify/fast-json-stringify-compiler'
import { expect } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('every schema of every route compiles', async ({ app, onTestFinished }) => {
  let created = 0
  const counted = <Build extends (...args: never[]) => (route: never) => unknown>(build: Build) =>
    ((...args) => {
      const compile = build(...args)
      return (route) => {
        created += 1
        return compile(route)
      }
    }) as Build
  const fastify = await buildApp(app.services, {
    compilers: {
      buildValidator: counted(createValidators()),
      buildSerializer: counted(createSerializers()),
    },
  })
  onTestFinished(() => fastify.close())
  await fastify.ready()
  expect(created).toBeGreaterThan(300)
})
