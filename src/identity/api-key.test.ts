import { describe, expect, test } from 'vitest'
import { generateKey, getKeyPrefix, hashKey, isWellFormedKey } from './api-key.ts'

describe('an API key', () => {
  test('starts with the prefix, fits in a path segment and is well-formed', () => {
    const key = generateKey()
    expect(key).toMatch(/^brv_[0-9A-Za-z]{42}$/)
    expect(encodeURIComponent(key)).toBe(key)
    expect(isWellFormedKey(key)).toBe(true)
    expect(getKeyPrefix(key)).toBe(key.slice(0, 10))
  })

  test('is unique, and so is its hash', () => {
    const keys = Array.from({ length: 1000 }, generateKey)
    expect(new Set(keys).size).toBe(1000)
    expect(new Set(keys.map((key) => hashKey(key).toString('hex'))).size).toBe(1000)
  })

  test('is invalid with any character changed', () => {
    const key = generateKey()
    for (let index = 0; index < key.length; index += 1) {
      const changed = key[index] === 'a' ? 'b' : 'a'
      expect(isWellFormedKey(key.slice(0, index) + changed + key.slice(index + 1))).toBe(false)
    }
  })

  test('is invalid when cut, extended or empty', () => {
    const key = generateKey()
    for (const invalidKey of ['', 'brv_', key.slice(1), `${key}0`, ` ${key}`]) {
      expect(isWellFormedKey(invalidKey)).toBe(false)
    }
  })
})
