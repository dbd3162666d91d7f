import { expect } from 'vitest'
import { createAccess } from '../../src/identity/access.ts'
import { listKeys, revokeKey } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { countStatements } from '../support/counted-db.ts'
import { appTest } from '../support/test.ts'

const LIMIT = 5
const test = appTest()

test('concurrent requests with many keys are counted per key in one statement', async ({
  app,
  make,
}) => {
  const { db, statistics } = countStatements(app.services.database.db)
  const access = createAccess({ db, limit: LIMIT, hashAddress: (address) => `together ${address}` })
  const owners = [await make.owner(), await make.owner(), await make.owner()]
  const [, revoked] = owners
  for (const { key } of owners) await access.check({ key, address: 'a' })
  const [first] = await listKeys({ db: app.services.db, accountId: revoked?.account.id ?? 0 })
  await revokeKey(scopeOf(app.services, revoked?.account.id ?? 0), first?.id ?? 0)
  statistics.statements = 0

  // Each key is sent five times, alternating between two addresses.
  const calls = Array.from({ length: 15 }, (_, n) => ({
    owner: owners[n % 3],
    address: n % 2 ? 'a' : 'b',
  }))
  const results = await Promise.all(
    calls.map(({ owner, address }) => access.check({ key: owner?.key, address })),
  )

  expect(statistics.statements).toBe(1)
  const findResults = (ownerIndex: number) =>
    results
      .filter((_, n) => n % 3 === ownerIndex)
      .map(({ account, rejection, window }) => [account?.id ?? rejection, window.remaining])
  const [valid, , last] = owners.map(({ account }) => account.id)
  for (const [ownerIndex, id] of [
    [0, valid],
    [2, last],
  ] as const) {
    expect(findResults(ownerIndex)).toEqual([
      [id, 3],
      [id, 2],
      [id, 1],
      [id, 0],
      ['rate_limited', 0],
    ])
  }
  // The revoked key counts for its two addresses.
  expect(findResults(1)).toEqual([
    ['key_required', 4],
    ['key_required', 4],
    ['key_required', 3],
    ['key_required', 3],
    ['key_required', 2],
  ])
})

test('keys are checked without waiting while the row of one of them is locked', async ({
  app,
  make,
}) => {
  const { access, database } = app.services
  const owners = [await make.owner(), await make.owner()]
  const client = await database.pool.connect()
  try {
    await client.query('begin')
    await client.query('select from api_keys where account_id = $1 for update', [
      owners[0]?.account.id,
    ])
    for (let round = 0; round < 2; round += 1) {
      const results = await Promise.all(
        owners.map(({ key }) => access.check({ key, address: 'c' })),
      )
      expect(results.map(({ account }) => account?.id)).toEqual(
        owners.map(({ account }) => account.id),
      )
    }
  } finally {
    await client.query('rollback')
    client.release()
  }
})
