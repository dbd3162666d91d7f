import { describe, expect, test } from 'vitest'
import { createSeenRows } from './seen-rows.ts'

describe('the aliases in an import file', () => {
  test('are recognized together with their first destination and settings', () => {
    const checkRow = createSeenRows()
    expect(checkRow('null a', 'https://example.com/1', '{}')).toBe('new')
    expect(checkRow('null b', 'https://example.com/1', '{}')).toBe('new')
    expect(checkRow('null a', 'https://example.com/1', '{}')).toBe('same')
    expect(checkRow('null a', 'https://example.com/2', '{}')).toBe('other')
    expect(checkRow('null a', 'https://example.com/1', '{"a":1}')).toBe('other settings')
    expect(checkRow('null a', 'https://example.com/1', '{}')).toBe('same')
  })

  test('of 200,000 rows are distinguished', () => {
    const checkRow = createSeenRows()
    const keys = Array.from({ length: 200_000 }, (_, index) => `null alias-${index}`)
    expect(keys.filter((key) => checkRow(key, key, key) !== 'new')).toEqual([])
    expect(keys.filter((key) => checkRow(key, key, key) !== 'same')).toEqual([])
  })
})
