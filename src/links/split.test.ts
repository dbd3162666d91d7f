import { expect, test } from 'vitest'
import { toVariantLabel } from '../clicks/append.ts'
import { createVisitorHash } from '../visitors/visitor-hash.ts'
import { chooseVariant, prepareSplit } from './split.ts'

const hashVisitor = createVisitorHash(Buffer.from('a test key that is 32 bytes long'))
const VISITORS = 100_000

function createIpAddress(index: number): string {
  return `10.${index >> 16}.${(index >> 8) & 255}.${index & 255}`
}

test.each([[[1, 1]], [[70, 30]], [[1, 99]], [[5, 10, 15, 20, 50]], [[...Array(10).fill(7)]]])(
  'destinations with the weights %j get their share of 100,000 visitors within 1%%',
  (weights) => {
    const split = prepareSplit(
      weights.map((weight, index) => ({ to: `https://example.com/${index}`, weight })),
    )
    if (!split) throw new Error('not split')
    const counts = new Map<string, number>()
    for (let visitor = 0; visitor < VISITORS; visitor += 1) {
      const { to = '' } =
        chooseVariant(split, hashVisitor(createIpAddress(visitor), 'Firefox'), 42) ?? {}
      counts.set(to, (counts.get(to) ?? 0) + 1)
    }
    for (const { to, weight } of split.variants) {
      const share = (counts.get(to) ?? 0) / VISITORS
      expect(Math.abs(share - weight / split.total)).toBeLessThan(0.01)
    }
  },
)

test('a visitor always gets the same variant of a link, and each link divides visitors differently', () => {
  const split = prepareSplit([
    { to: 'https://example.com/a', weight: 1 },
    { to: 'https://example.com/b', weight: 1 },
  ])
  if (!split) throw new Error('not split')
  let sameVariantCount = 0
  for (let visitor = 0; visitor < VISITORS; visitor += 1) {
    const hash = hashVisitor(createIpAddress(visitor), 'Firefox')
    const variant = chooseVariant(split, hash, 1)
    expect(chooseVariant(split, hash, 1)).toBe(variant)
    if (chooseVariant(split, hash, 2) === variant) sameVariantCount += 1
  }
  expect(Math.abs(sameVariantCount / VISITORS - 0.5)).toBeLessThan(0.01)
})

test('labels of long destinations are truncated but distinct', () => {
  const long = `https://example.com/${'a'.repeat(500)}`
  expect(toVariantLabel('https://example.com/')).toBe('https://example.com/')
  expect(toVariantLabel(`${long}1`)).toHaveLength(253)
  expect(toVariantLabel(`${long}1`)).not.toBe(toVariantLabel(`${long}2`))
})
