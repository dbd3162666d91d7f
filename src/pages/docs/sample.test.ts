import { expect, test } from 'vitest'
import { createSample } from './operation.ts'

test('a sample is the example of its schema, else its constant, else the first of several values', () => {
  expect(createSample({ type: 'string', examples: ['a', 'b'] })).toBe('a')
  expect(createSample({ const: 200 })).toBe(200)
  expect(createSample({ enum: ['0'] })).toBe('0')
  expect(createSample({ anyOf: [{ type: 'null' }, { type: 'integer' }] })).toBe(1)
})

test('a sample contains nested objects and lists, with examples by field name', () => {
  const entry = {
    type: 'object',
    properties: { alias: { type: 'string' }, open: { type: 'boolean' } },
  }
  expect(createSample({ type: 'array', items: entry })).toEqual([{ alias: 'spring', open: false }])
  expect(
    createSample({ type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$' }),
  ).toBe('2026-03-01 09:30:00')
})
