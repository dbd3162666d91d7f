import { sql } from 'kysely'
import { describe, expect } from 'vitest'
import { resourceClient } from '../support/api-client.ts'
import { openPatiently } from '../support/database.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/target'

const test = appTest()
  .extend('database', { scope: 'file' }, async ({ app }, { onCleanup }) => {
    const database = openPatiently(app.databaseUrl)
    onCleanup(() => database.close())
    return database
  })
  .extend('api', { scope: 'file' }, ({ app, owner, database }) => {
    const { send, add, update, details, remove } = resourceClient({ app, owner }, 'url')
    return {
      add,
      update,
      remove,
      send,
      readTags: async (id: number, caller?: Owner) => (await details(id, caller)).details.tags,
      /** Returns the names of an account's stored tags in alphabetical order. */
      async readStoredTags({ account }: Owner) {
        const { rows } = await sql<{ name: string }>`
          select name from tags where account_id = ${account.id} order by key`.execute(database.db)
        return rows.map(({ name }) => name)
      },
    }
  })

describe('tags', () => {
  test('are set on creation and returned in details and lists', async ({
    make,
    api: { add, send, readStoredTags, readTags },
  }) => {
    const caller = await make.owner()
    const created = await add(
      { url, tags: [' Summer ', 'SALE', 'summer', '日本 \u202e<b>'] },
      caller,
    )
    expect(created.json()).toEqual({
      error: 0,
      id: expect.any(Number),
      shorturl: expect.any(String),
    })
    const untagged = (await add({ url }, caller)).json()
    const tags = ['Summer', 'SALE', '日本 \u202e<b>']
    expect(await readTags(created.json().id, caller)).toEqual(tags)
    expect(await readTags(untagged.id, caller)).toEqual([])
    const { urls } = (await send('GET', '/api/urls', undefined, caller)).json().data
    expect(urls.map((entry: { tags: string[] }) => entry.tags)).toEqual([[], tags])
    expect(await readStoredTags(caller)).toHaveLength(3)
  })

  test('keep their first spelling until no link uses them', async ({
    make,
    api: { add, update, remove, readStoredTags, readTags },
  }) => {
    const caller = await make.owner()
    const first = (await add({ url, tags: ['Été'] }, caller)).json().id
    const second = (await add({ url, tags: ['ÉTÉ', 'other'] }, caller)).json().id
    expect(await readTags(second, caller)).toEqual(['Été', 'other'])
    await update(first, { url, tags: [] }, caller)
    expect(await readStoredTags(caller)).toEqual(['other', 'Été'])
    await remove(second, caller)
    expect(await readStoredTags(caller)).toEqual([])
    await update(first, { url, tags: ['ÉTÉ'] }, caller)
    expect(await readTags(first, caller)).toEqual(['ÉTÉ'])
  })

  test('are unchanged by an update without tags and cleared by [] or ""', async ({
    make,
    api: { add, update, readTags },
  }) => {
    const caller = await make.owner()
    const { id } = (await add({ url, tags: ['one', 'two'] }, caller)).json()
    for (const [tags, expected] of [
      [undefined, ['one', 'two']],
      [null, ['one', 'two']],
      [
        ['two', 'three'],
        ['two', 'three'],
      ],
      ['', []],
      [['three'], ['three']],
      [[], []],
    ] as const) {
      expect((await update(id, { url, tags }, caller)).statusCode).toBe(200)
      expect(await readTags(id, caller)).toEqual(expected)
    }
  })

  test('are rejected with the invalid entry named, and nothing is stored', async ({
    make,
    api: { add, update, send, readStoredTags, readTags },
  }) => {
    const caller = await make.owner()
    const { id } = (await add({ url, tags: ['kept'] }, caller)).json()
    for (const [tags, message] of [
      ['text', 'tags must be an array'],
      [{}, 'tags must be an array'],
      [[1], 'tags[0] must be a string'],
      [[null], 'tags[0] must be a string'],
      [['ok', ''], 'tags[1] must not be empty'],
      [['x'.repeat(51)], 'tags[0] must be at most 50 characters long'],
      [['a\tb'], 'tags[0] must not contain control characters'],
      [['a\0b'], 'tags[0] must be text without NUL characters or broken surrogates'],
      [Array.from({ length: 21 }, (_, n) => `n${n}`), 'tags must have at most 20 entries'],
      [Array(101).fill('a'), 'tags must not have more than 100 items'],
    ] as const) {
      const reply = await add({ url, tags }, caller)
      expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
      expect((await update(id, { url, tags }, caller)).json()).toEqual({ error: 1, message })
    }
    expect(await readTags(id, caller)).toEqual(['kept'])
    expect(await readStoredTags(caller)).toEqual(['kept'])
    expect((await send('GET', '/api/urls', undefined, caller)).json().data.result).toBe(1)
  })

  test('are set for each link of a batch, even with an Idempotency-Key', async ({
    app,
    make,
    api: { readStoredTags, readTags },
  }) => {
    const caller = await make.owner()
    const payload = {
      urls: [
        { url, tags: ['a', 'b'] },
        { url, tags: ['x'.repeat(51)] },
        { url, tags: ['B', 'c'] },
        { url },
      ],
    }
    for (const headers of [{}, { 'idempotency-key': 'tags' }, { 'idempotency-key': 'tags' }]) {
      const reply = await app.request({
        method: 'POST',
        url: '/api/urls/add',
        headers: { ...caller.headers, ...headers },
        payload,
      })
      const { results } = reply.json()
      expect(results.map(({ error }: { error: number }) => error)).toEqual([0, 1, 0, 0])
      expect(await readTags(results[0].id, caller)).toEqual(['a', 'b'])
      expect(await readTags(results[2].id, caller)).toEqual(['b', 'c'])
      expect(await readTags(results[3].id, caller)).toEqual([])
    }
    expect(await readStoredTags(caller)).toEqual(['a', 'b', 'c'])
  })

  test('are separate per account', async ({
    make,
    api: { add, update, readStoredTags, readTags },
  }) => {
    const firstOwner = await make.owner()
    const otherOwner = await make.owner()
    const { id } = (await add({ url, tags: ['Shared'] }, firstOwner)).json()
    const otherId = (await add({ url, tags: ['SHARED'] }, otherOwner)).json().id
    expect(await readTags(otherId, otherOwner)).toEqual(['SHARED'])
    expect((await update(id, { url, tags: ['stolen'] }, otherOwner)).statusCode).toBe(404)
    expect(await readTags(id, firstOwner)).toEqual(['Shared'])
    expect(await readStoredTags(otherOwner)).toEqual(['SHARED'])
  })

  test('remain stored while links use them, despite concurrent additions and removals', async ({
    make,
    api: { add, update, remove, readStoredTags, readTags },
  }) => {
    const caller = await make.owner()
    const names = ['red', 'green', 'blue', 'black']
    const replies = await Promise.all(
      Array.from({ length: 24 }, async (_, n) => {
        const someNames = names.toSpliced(n % 4, 1)
        const tags = n % 2 ? someNames : someNames.toReversed()
        const created = (await add({ url, tags }, caller)).json()
        if (n % 3 === 0) return (await remove(created.id, caller)).statusCode
        if (n % 3 === 1) return (await update(created.id, { url, tags: [] }, caller)).statusCode
        expect(await readTags(created.id, caller)).toEqual(tags)
        return 200
      }),
    )
    expect(replies).toEqual(Array(24).fill(200))
    expect(await readStoredTags(caller)).toEqual(['black', 'blue', 'green', 'red'])
  })
})
