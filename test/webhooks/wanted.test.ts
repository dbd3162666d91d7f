import { expect } from 'vitest'
import { createOutbox } from '../../src/webhooks/outbox.ts'
import { countStatements } from '../support/counted-db.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('reloads the subscriptions of an account only when they may have changed', async ({
  app,
  owner,
}) => {
  let now = 0
  const { db, statistics } = countStatements(app.services.database.db)
  const outbox = createOutbox({ clock: app.clock, monotonic: () => now })
  const call = async () => {
    expect(await outbox.hasSubscribers(db, owner.account.id, 'link.created')).toBe(false)
    return statistics.statements
  }
  expect([await call(), await call()]).toEqual([1, 1])
  now += 2000
  expect(await call()).toBe(2)
  outbox.setSubscribed(true)
  expect([await call(), await call()]).toEqual([3, 3])
  now += 59_999
  expect(await call()).toBe(3)
  now += 1
  expect(await call()).toBe(4)
  outbox.invalidate(owner.account.id)
  expect([await call(), await call()]).toEqual([5, 5])
  // A result is not cached if subscriptions change while it is read.
  outbox.invalidate()
  const pendingCall = call()
  outbox.invalidate(owner.account.id)
  await pendingCall
  expect([await call(), await call()]).toEqual([7, 7])
  outbox.setSubscribed(false)
  await call()
  now += 2000
  expect(await call()).toBe(9)
})
