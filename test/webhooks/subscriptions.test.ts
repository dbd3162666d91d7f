import { expect } from 'vitest'
import { createOutbox } from '../../src/webhooks/outbox.ts'
import { countStatements } from '../support/counted-db.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('the outbox reloads the subscriptions of an account only when they may have changed', async ({
  app,
  owner,
}) => {
  let now = 0
  const { db, statistics } = countStatements(app.services.database.db)
  const outbox = createOutbox({ clock: app.clock, monotonic: () => now })
  const countStatementsAfterCall = async () => {
    expect(await outbox.hasSubscribers({ db, accountId: owner.account.id }, 'link.created')).toBe(
      false,
    )
    return statistics.statements
  }
  expect([await countStatementsAfterCall(), await countStatementsAfterCall()]).toEqual([1, 1])
  now += 2000
  expect(await countStatementsAfterCall()).toBe(2)
  outbox.setSubscribed(true)
  expect([await countStatementsAfterCall(), await countStatementsAfterCall()]).toEqual([3, 3])
  now += 59_999
  expect(await countStatementsAfterCall()).toBe(3)
  now += 1
  expect(await countStatementsAfterCall()).toBe(4)
  outbox.invalidate(owner.account.id)
  expect([await countStatementsAfterCall(), await countStatementsAfterCall()]).toEqual([5, 5])
  // A result is not cached if subscriptions change while it is read.
  outbox.invalidate()
  const pendingCall = countStatementsAfterCall()
  outbox.invalidate(owner.account.id)
  await pendingCall
  expect([await countStatementsAfterCall(), await countStatementsAfterCall()]).toEqual([7, 7])
  outbox.setSubscribed(false)
  await countStatementsAfterCall()
  now += 2000
  expect(await countStatementsAfterCall()).toBe(9)
})
