import fc from 'fast-check'
import { expect, test } from 'vitest'
import { orderByReferences } from './order.ts'

test('a table comes after every table that it refers to', () => {
  const tables = fc.array(fc.array(fc.nat(), { maxLength: 4 }), { maxLength: 20 })
  fc.assert(
    fc.property(tables, fc.infiniteStream(fc.nat()), (references, shuffle) => {
      // A table refers to earlier ones only, so that there is no circle; then they are mixed up.
      const made = references.map((targets, index) => ({
        name: `t${index}`,
        references: index === 0 ? [] : targets.map((target) => `t${target % index}`),
      }))
      const mixed = made
        .map((table) => ({ table, place: shuffle.next().value ?? 0 }))
        .sort((a, b) => a.place - b.place)
        .map(({ table }) => table)
      const ordered = orderByReferences(mixed)
      expect(ordered.toSorted(byName)).toEqual(made.toSorted(byName))
      const places = new Map(ordered.map(({ name }, place) => [name, place]))
      for (const { name, references: targets } of ordered) {
        for (const target of targets) {
          expect(places.get(target)).toBeLessThan(places.get(name) ?? -1)
        }
      }
    }),
  )
})

test('tables that refer to each other are refused by name', () => {
  const tables = [
    { name: 'a', references: [] },
    { name: 'b', references: ['c'] },
    { name: 'c', references: ['a', 'b'] },
  ]
  expect(() => orderByReferences(tables)).toThrow(
    'refer to each other or to tables elsewhere: b, c',
  )
})

function byName(a: { name: string }, b: { name: string }): number {
  return a.name.localeCompare(b.name)
}
