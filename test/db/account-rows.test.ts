import { sql } from 'kysely'
import { expect, expectTypeOf } from 'vitest'
import { own, unscoped } from '../../src/db/account-rows.ts'
import type { Db } from '../../src/db/pool.ts'
import type { Tx } from '../../src/db/transaction.ts'
import { type AccountScope, scopeOf } from '../../src/scope.ts'
import { newOwnerTest } from '../support/test.ts'

const test = newOwnerTest()

test('a statement of a scope that forgets the account does not compile', () => {
  // @ts-expect-error -- the connection of a scope begins no statement
  const _read = (scope: AccountScope) => scope.db.selectFrom('links')
  // @ts-expect-error -- nor does it begin a change of all rows
  const _update = (scope: AccountScope) => scope.db.updateTable('links')
  // @ts-expect-error -- nor a deletion of all rows
  const _remove = (scope: AccountScope) => scope.db.deleteFrom('links')
  // @ts-expect-error -- nor is it a connection for others
  const _pass = (scope: AccountScope): Db => scope.db
  // @ts-expect-error -- nor does it run SQL, which may concern all accounts
  const _run = (scope: AccountScope) => sql`select from links`.execute(scope.db)
  // @ts-expect-error -- rows of this table have no account
  const _child = (scope: AccountScope) => own(scope).selectFrom('link_tags')
  expectTypeOf(unscoped<Tx>).returns.toEqualTypeOf<Tx>()
})

test("reads, updates and deletes only the account's rows", async ({ app, make, owner }) => {
  const stranger = await make.owner()
  const [mine, theirs] = [await make.link(owner), await make.link(stranger)]
  const scope = scopeOf(app.services, owner.account.id)
  const read = () => own(scope).selectFrom('links as l').select('l.id').execute()
  expect(await read()).toEqual([{ id: mine.id }])

  await own(scope).updateTable('links').set({ url: 'https://example.com/new' }).execute()
  await own(scope).deleteFrom('api_keys').execute()
  const accounts = await own(scope).selectFrom('accounts').select('id').execute()
  expect(accounts).toEqual([{ id: owner.account.id }])
  const links = await app.services.db
    .selectFrom('links')
    .select(['id', 'url'])
    .orderBy('id')
    .execute()
  expect(links).toEqual([
    { id: mine.id, url: 'https://example.com/new' },
    { id: theirs.id, url: theirs.url },
  ])
  const keys = await app.services.db.selectFrom('api_keys').select('account_id').execute()
  expect(keys.map(({ account_id }) => account_id)).toEqual([stranger.account.id])
})

test("leaves out links that are not on the domain of the caller's key", async ({
  app,
  make,
  owner,
}) => {
  const domain = await make.domain(owner, { domain: 'https://go.example' })
  const bound = await make.link(owner, { domain: 'go.example' })
  await make.link(owner)
  const scope = {
    ...scopeOf(app.services, owner.account.id),
    domain: { id: domain.id, host: 'go.example', origin: 'https://go.example' },
  }
  expect(await own(scope).selectFrom('links').select('id').execute()).toEqual([{ id: bound.id }])
})
