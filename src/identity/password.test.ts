import { expect, test } from 'vitest'
import { createPasswords } from './password.ts'

test('a password matches only its own hash', async () => {
  const passwords = createPasswords()
  const hashed = await passwords.hash('a', 'correct horse')
  expect(hashed).toMatch(/^\$argon2id\$v=19\$m=19456,(t=2,p=1|p=1,t=2)\$/)
  expect(await passwords.verify('a', hashed, 'correct horse')).toBe(true)
  expect(await passwords.verify('a', hashed, 'correct horse ')).toBe(false)
})

test('passwords beyond the queue limit are rejected and the others hashed', async () => {
  const passwords = createPasswords({ maxRunning: 1, maxWaiting: 2 })
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, (_, index) => passwords.hash('a', `password ${index}`)),
  )
  expect(results.map(({ status }) => status)).toEqual([
    'fulfilled',
    'fulfilled',
    'fulfilled',
    'rejected',
    'rejected',
  ])
  expect(results[4]).toMatchObject({ reason: { code: 'busy' } })
  expect(passwords.isFullFor('a')).toBe(false)
  expect(await passwords.hash('a', 'afterwards')).toContain('argon2id')
})

test('isFullFor is true while the queue is full', async () => {
  const passwords = createPasswords({ maxRunning: 1, maxWaiting: 1 })
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = passwords.runQueued('a', () => promise)
  expect(passwords.isFullFor('a')).toBe(false)
  const second = passwords.runQueued('a', async () => passwords.isFullFor('a'))
  expect(passwords.isFullFor('a')).toBe(true)
  resolve()
  await first
  expect(await second).toBe(false)
})

test('a flood from one key does not delay other keys', async () => {
  const passwords = createPasswords({ maxRunning: 2, maxWaiting: 4, maxWaitingPerKey: 2 })
  const flood = Array.from({ length: 9 }, (_, n) => passwords.hash('flood', `password ${n}`))
  const others = [1, 2, 3].map((n) => passwords.hash(n, `password ${n}`))
  const statuses = (await Promise.allSettled(flood)).map(({ status }) => status)
  expect(statuses.filter((status) => status === 'fulfilled').length).toBeLessThanOrEqual(3)
  expect(await Promise.all(others)).toHaveLength(3)
})
