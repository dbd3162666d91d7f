import { describe, expect, test } from 'vitest'
import { createSeenRows } from './seen-rows.ts'

describe('the short-link addresses in an import file', () => {
  test('are recognized together with their first destination', () => {
    const see = createSeenRows()
    expect(see('null a', 'https://example.com/1')).toBe('new')
    expect(see('null b', 'https://example.com/1')).toBe('new')
    expect(see('null a', 'https://example.com/1')).toBe('same')
    expect(see('null a', 'https://example.com/2')).toBe('other')
    expect(see('null a', 'https://example.com/1')).toBe('same')
  })

  test('of 200,000 rows are distinguished', () => {
    const see = createSeenRows()
    const addresses = Array.from({ length: 200_000 }, (_, index) => `null bench-${index}`)
    expect(addresses.filter((address) => see(address, address) !== 'new')).toEqual([])
    expect(addresses.filter((address) => see(address, address) !== 'same')).toEqual([])
  })
})
