import { expect, test } from 'vitest'
import { createPasswords } from './password.ts'

test('a password matches its own hash and no other', async () => {
  const passwords = createPasswords()
  const hashed = await passwords.hash('correct horse')
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/)
  expect(await passwords.matches(hashed, 'correct horse')).toBe(true)
  expect(await passwords.matches(hashed, 'correct horse ')).toBe(false)
})

test('more checks than may wait are refused, the others are answered', async () => {
  const passwords = createPasswords({ atOnce: 1, waiting: 2 })
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, (_, index) => passwords.hash(`password ${index}`)),
  )
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(results[4]).toMatchObject({ reason: { code: 'busy' } })
  expect(passwords.isFull()).toBe(false)
  expect(await passwords.hash('afterwards')).toContain('argon2id')
})

test('is full from the last check that may wait until one has ended', async () => {
  const passwords = createPasswords({ atOnce: 1, waiting: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = passwords.inTurn(() => promise)
  expect(passwords.isFull()).toBe(false)
  const second = passwords.inTurn(async () => passwords.isFull())
  expect(passwords.isFull()).toBe(true)
  resolve()
  await first
  expect(await second).toBe(false)
})
