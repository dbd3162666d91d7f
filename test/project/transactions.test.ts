import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, expectTypeOf, test } from 'vitest'
import type { Context, HttpContext } from '../../src/context.ts'
import type { Db } from '../../src/db/pool.ts'
import type { Tx } from '../../src/db/transaction.ts'
import { setSuspended } from '../../src/identity/account.service.ts'
import type { lockMembers } from '../../src/identity/member.queries.ts'
import type { AccountScope, Scope } from '../../src/scope.ts'

const API = join(import.meta.dirname, '../../src/http/api')

describe('a function that needs a transaction', () => {
  test('does not compile with a plain connection', () => {
    expectTypeOf<Db>().not.toExtend<Tx>()
    expectTypeOf<Db>().not.toExtend<Parameters<typeof setSuspended>[1]>()
    // @ts-expect-error -- a connection is not a transaction
    const _call = (ctx: Context, db: Db) => setSuspended(ctx, db, 1, true)
  })

  test('takes a scope with a transaction', () => {
    expectTypeOf<Scope<Context>>().not.toExtend<Scope<Context, Tx>>()
    expectTypeOf<Scope<Context, Tx>>().toExtend<Scope<Context>>()
    expectTypeOf<AccountScope>().not.toExtend<Parameters<typeof lockMembers>[0]>()
  })

  test('accepts a transaction, as do functions that need none', () => {
    expectTypeOf<Tx>().toExtend<Parameters<typeof setSuspended>[1]>()
    expectTypeOf<Tx>().toExtend<Db>()
  })
})

test('the context of services has no database connection, and the context of HTTP has one', () => {
  expectTypeOf<Context>().not.toHaveProperty('db')
  expectTypeOf<HttpContext>().toHaveProperty('db')
  expectTypeOf<HttpContext>().toExtend<Context>()
})

/** Matches the value of a `work:` property: a service, or an arrow function. */
const WORK = /\bwork: (?<text>\w+|\([^)]*\) =>.*?),\n\s+present:/gs

test('the `work` of an API operation uses only the connection it receives', async () => {
  const works: string[] = []
  for (const file of await readdir(API)) {
    const source = await readFile(join(API, file), 'utf8')
    const calls = source.match(/\brunOnce\(request, \{/g) ?? []
    const matches = [...source.matchAll(WORK)].map(({ groups }) => groups?.text ?? '')
    expect(matches, file).toHaveLength(calls.length)
    works.push(...matches)
  }
  expect(works.length).toBeGreaterThan(5)
  for (const work of works) {
    expect(work).toMatch(/^(?:\w+$|\(scope\b.*\(scope[,)]|\(\{ db \}.*\bdb[,)])/s)
    expect(work).not.toMatch(/\.(?:db|scope)\b/)
  }
})
