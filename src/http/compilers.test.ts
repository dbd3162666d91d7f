import { describe, expect, test } from 'vitest'
import { compilersFactory } from './compilers.ts'

const { buildSerializer, buildValidator } = compilersFactory
const route = { method: 'GET', url: '/', httpStatus: '200', httpPart: 'querystring' }
const createTextSchema = () => ({ type: 'object', properties: { name: { type: 'string' } } })
const integerSchema = { type: 'object', properties: { name: { type: 'integer' } } }

describe.each([
  ['serializer', (externalSchemas: object) => buildSerializer(externalSchemas)],
  [
    'validator',
    (externalSchemas: object) =>
      buildValidator(externalSchemas as never, { customOptions: { coerceTypes: false } }),
  ],
] as const)('a %s', (_, build) => {
  const compile = (externalSchemas: object, schema: object) =>
    build(externalSchemas)({ ...route, schema } as never) as (value: unknown) => unknown

  test('is compiled only once for equal schemas', () => {
    expect(compile({}, createTextSchema())).toBe(compile({}, createTextSchema()))
  })

  test('differs for another schema', () => {
    expect(compile({}, integerSchema)).not.toBe(compile({}, createTextSchema()))
    expect(compile({}, integerSchema)({ name: 1 })).not.toBe(
      compile({}, createTextSchema())({ name: 1 }),
    )
  })

  test('differs if a referenced schema differs', () => {
    const schema = { $ref: 'shared#' }
    const textCompiled = compile({ shared: { $id: 'shared', ...createTextSchema() } }, schema)
    const integerCompiled = compile({ shared: { $id: 'shared', ...integerSchema } }, schema)
    expect(textCompiled).not.toBe(integerCompiled)
    expect(textCompiled({ name: 1 })).not.toBe(integerCompiled({ name: 1 }))
  })
})
