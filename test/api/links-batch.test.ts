import { describe, expect, vi } from 'vitest'
import { resourceClient } from '../support/api-client.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const { send } = resourceClient({ app, owner }, 'url')
  /** Returns the outcomes of a batch, optionally sent with an Idempotency-Key. */
  async function addAll(urls: object[], caller = owner, key?: string): Promise<Result[]> {
    const headers = { ...caller.headers, ...(key !== undefined && { 'idempotency-key': key }) }
    const reply = await request({
      method: 'POST',
      url: '/api/urls/add',
      headers,
      payload: { urls },
    })
    expect(reply.statusCode).toBe(200)
    return reply.json().results
  }
  const query = (sql: string, values: unknown[] = []) =>
    app.services.database.pool.query(sql, values).then(({ rows }) => rows)
  /** Returns the number of statements that wait for a lock. */
  async function countBlockedStatements(): Promise<number> {
    const rows = await query(
      `select from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length
  }
  return { send, addAll, query, countBlockedStatements }
})

const target = 'https://example.com/target'
const ALIAS_TAKEN = 'That alias is taken. Please choose another one.'

type Result = { error: number; id: number; shorturl: string; message: string }

describe('links of one batch', () => {
  test.for([undefined, 'a-key'])(
    'are created as requested, with IDs in order (Idempotency-Key: %s)',
    async (key, { make, api: { send, addAll, query } }) => {
      const caller = await make.owner()
      const firstPixel = await make.pixel(caller)
      const secondPixel = await make.pixel(caller)
      const name = key ?? 'none'
      const results = await addAll(
        [
          {
            url: `${target}/1`,
            custom: `z-${name}`,
            pixels: [secondPixel.id, firstPixel.id, secondPixel.id],
          },
          { url: `${target}/2`, expiry: '2099-01-31', type: 'frame' },
          { url: `${target}/3`, custom: `a-${name}`, metatitle: 'It’s "quoted", {a} \\ NULL' },
          { url: `${target}/4`, custom: `z-${name}` },
          { url: `${target}/5`, pixels: [firstPixel.id, 999_999] },
          { url: `${target}/6`, geotarget: [{ location: 'DE', link: 'https://example.com/de' }] },
        ],
        caller,
        key,
      )
      expect(results.map(({ message, error }) => message ?? error)).toEqual([
        0,
        0,
        0,
        ALIAS_TAKEN,
        'pixels names a pixel that does not exist',
        0,
      ])
      const ids = results.flatMap(({ id }) => id ?? [])
      const stored = await query('select * from links where account_id = $1 order by id', [
        caller.account.id,
      ])
      expect(stored.map(({ id }) => id)).toEqual(ids)
      expect(stored).toMatchObject([
        { url: `${target}/1`, alias: `z-${name}`, kind: 'link', status: 'active', rules: [] },
        { url: `${target}/2`, redirect: 'frame', expires_at: expect.any(Date), meta_title: null },
        { url: `${target}/3`, alias: `a-${name}`, meta_title: 'It’s "quoted", {a} \\ NULL' },
        { url: `${target}/6`, rules: [{ when: { country: 'DE' }, to: 'https://example.com/de' }] },
      ])
      const pixels = await query('select * from link_pixels where link_id = any($1)', [ids])
      expect(pixels.toSorted((a, b) => a.position - b.position)).toMatchObject([
        { link_id: ids[0], pixel_id: secondPixel.id },
        { link_id: ids[0], pixel_id: firstPixel.id },
      ])
      const { data } = (await send('GET', '/api/urls', undefined, caller)).json()
      expect(data.urls.map(({ id }: { id: number }) => id)).toEqual(ids.toReversed())
    },
  )

  test.for([undefined, 'refused'])(
    'fail individually if the database rejects them (Idempotency-Key: %s)',
    async (key, { app, make, owner, api: { addAll, countBlockedStatements } }) => {
      const domain = await make.domain(owner)
      const client = await app.services.database.pool.connect()
      let results: Promise<Result[]>
      try {
        await client.query('begin')
        await client.query('delete from domains where id = $1', [domain.id])
        results = addAll(
          Array.from({ length: 9 }, (_, n) => ({
            url: target,
            ...(n % 3 === 1 && { domain: domain.origin }),
          })),
          owner,
          key,
        )
        await vi.waitUntil(async () => (await countBlockedStatements()) === 1, { timeout: 60_000 })
      } finally {
        await client.query('commit')
        client.release()
      }
      expect((await results).map(({ error }) => error)).toEqual([0, 1, 0, 0, 1, 0, 0, 1, 0])
      expect((await results)[1]?.message).toBe('domain is not a domain of this account')
    },
  )

  test('do not deadlock with batches that use the same aliases in reverse order', async ({
    make,
    owner,
    api: { addAll },
  }) => {
    const otherOwner = await make.owner()
    for (let round = 0; round < 12; round += 1) {
      const urls = Array.from({ length: 60 }, (_, n) => ({ url: target, custom: `${round}-${n}` }))
      const createKey = (name: string) => (round % 2 ? `${name} ${round}` : undefined)
      const batches = await Promise.all([
        addAll(urls, owner, createKey('one')),
        addAll(urls.toReversed(), otherOwner, createKey('other')),
      ])
      const created = batches.flat().filter(({ error }) => error === 0)
      expect(created).toHaveLength(60)
      expect(new Set(created.map(({ shorturl }) => shorturl)).size).toBe(60)
      const rejected = batches.flat().filter(({ error }) => error === 1)
      expect(new Set(rejected.map(({ message }) => message))).toEqual(new Set([ALIAS_TAKEN]))
    }
  })

  test('get another random alias on a conflict, but a chosen alias is rejected as taken', async ({
    api: { send, addAll, query },
  }) => {
    // Makes the database skip some rows as if their aliases were taken.
    await query('create sequence skipped_rows')
    await query(
      `create function skip_row() returns trigger language plpgsql as $$ begin
         if nextval('skipped_rows') % 3 = 1 then return null; end if;
         return new;
       end $$`,
    )
    await query(
      'create trigger skip_row before insert on links for each row execute function skip_row()',
    )
    const random = await addAll(Array.from({ length: 10 }, () => ({ url: target })))
    const single = await send('POST', '/api/url/add', { url: target })
    await query(`select setval('skipped_rows', 3)`)
    const chosen = await addAll([
      { url: target, custom: 'chosen-1' },
      { url: target, custom: 'chosen-2' },
    ])
    await query('drop trigger skip_row on links')
    expect(random.map(({ error }) => error)).toEqual(Array(10).fill(0))
    expect(new Set(random.map(({ shorturl }) => shorturl)).size).toBe(10)
    expect(single.statusCode).toBe(200)
    expect(chosen.map(({ message, error }) => message ?? error)).toEqual([ALIAS_TAKEN, 0])
  })

  test('get another random alias after a unique violation', async ({
    api: { send, addAll, query },
  }) => {
    await addAll([{ url: target, custom: 'there-already' }])
    await query('create sequence alias_conflicts')
    await query(
      `create function force_conflict() returns trigger language plpgsql as $$ begin
         if nextval('alias_conflicts') % 3 = 1 then new.alias = 'there-already'; end if;
         return new;
       end $$`,
    )
    await query(
      'create trigger force_conflict before insert on links for each row execute function force_conflict()',
    )
    const batch = await addAll(Array.from({ length: 10 }, () => ({ url: target })))
    await query(`select setval('alias_conflicts', 3)`)
    const single = await send('POST', '/api/url/add', { url: target })
    await query('drop trigger force_conflict on links')
    expect(batch.map(({ error }) => error)).toEqual(Array(10).fill(0))
    expect(new Set(batch.map(({ shorturl }) => shorturl)).size).toBe(10)
    expect(single.statusCode).toBe(200)
    const stored = await query('select id from links where id = any($1::bigint[])', [
      [...batch.map(({ id }) => id), single.json().id],
    ])
    expect(stored).toHaveLength(11)
  })
})

test('creating links does not access click tables', async ({ api: { send, addAll, query } }) => {
  const tables = ['click_totals', 'click_days', 'click_details', 'click_visitors', 'clicks']
  for (const table of tables) await query(`alter table ${table} rename to ${table}_away`)
  const single = await send('POST', '/api/url/add', { url: target })
  const results = await addAll([{ url: target }, { url: target, custom: 'apart' }])
  for (const table of tables) await query(`alter table ${table}_away rename to ${table}`)
  expect(single.statusCode).toBe(200)
  expect(results.map(({ error }) => error)).toEqual([0, 0])
  const { data, details } = (await send('GET', `/api/url/${single.json().id}`)).json()
  expect([data.clicks, details.shorturl]).toEqual([0, single.json().shorturl])
})
