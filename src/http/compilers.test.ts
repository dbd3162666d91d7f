import { describe, expect, test } from 'vitest'
import { compilersFactory } from './compilers.ts'

const { buildSerializer, buildValidator } = compilersFactory
const route = { method: 'GET', url: '/', httpStatus: '200', httpPart: 'querystring' }
const createTextSchema = () => ({ type: 'object', properties: { name: { type: 'string' } } })
const number = { type: 'object', properties: { name: { type: 'integer' } } }

describe.each([
  ['serializer', (others: object) => buildSerializer(others)],
  [
    'validator',
    (others: object) => buildValidator(others as never, { customOptions: { coerceTypes: false } }),
  ],
] as const)('a %s', (_, build) => {
  const compile = (others: object, schema: object) =>
    build(others)({ ...route, schema } as never) as (value: unknown) => unknown

  test('is compiled once for equal schemas in all apps', () => {
    expect(compile({}, createTextSchema())).toBe(compile({}, createTextSchema()))
  })

  test('differs for another schema', () => {
    expect(compile({}, number)).not.toBe(compile({}, createTextSchema()))
    expect(compile({}, number)({ name: 1 })).not.toBe(compile({}, createTextSchema())({ name: 1 }))
  })

  test('differs if a referenced schema differs', () => {
    const schema = { $ref: 'shared#' }
    const one = compile({ shared: { $id: 'shared', ...createTextSchema() } }, schema)
    const two = compile({ shared: { $id: 'shared', ...number } }, schema)
    expect(one).not.toBe(two)
    expect(one({ name: 1 })).not.toBe(two({ name: 1 }))
  })
})
