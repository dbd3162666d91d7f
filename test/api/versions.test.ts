import { describe, expect } from 'vitest'
import { deleteExpired } from '../../src/identity/expired-rows.queries.ts'
import { emptyTrash } from '../../src/links/trash.service.ts'
import { createScopedKey } from '../support/scoped-keys.ts'
import { listVersions, versionTest } from '../support/versions.ts'

const test = versionTest()
const firstUrl = 'https://example.com/first'
const secondUrl = 'https://example.com/second'

describe('GET /api/url/:id/versions', () => {
  test('lists the creation with the values it set', async ({ make, owner, history }) => {
    const link = await make.link(owner, { url: firstUrl, alias: 'made', tags: ['a'] })
    expect(await history.list(link.id)).toEqual([
      {
        id: 0,
        date: expect.any(String),
        surface: 'command-line',
        by: null,
        restores: null,
        changes: {
          url: { before: null, after: firstUrl },
          custom: { before: null, after: 'made' },
          status: { before: null, after: 'active' },
          type: { before: null, after: 'direct' },
          tags: { before: null, after: ['a'] },
        },
      },
    ])
  })

  test('lists changed values, newest first', async ({ make, owner, history }) => {
    const pixel = await make.pixel(owner)
    const { id, alias } = await make.link(owner, { url: firstUrl, tags: ['a'] })
    await history.update(id, { url: secondUrl, metatitle: 'Second' })
    await history.update(id, {
      url: secondUrl,
      tags: ['a', 'b'],
      pixels: [pixel.id],
      metatitle: '',
    })
    await history.update(id, { url: secondUrl })
    await history.update(id, {
      url: secondUrl,
      geotarget: [{ location: 'de', link: 'https://example.com/de' }],
      expiry: '2099-01-01 00:00:00',
    })
    const [rules, parts, fields, creation, ...rest] = await history.list(id)
    expect(rest).toEqual([])
    expect(rules?.changes).toEqual({
      rules: { before: [], after: [{ when: { country: 'DE' }, to: 'https://example.com/de' }] },
      expiry: { before: null, after: '2099-01-01T00:00:00.000Z' },
    })
    expect(parts?.changes).toEqual({
      tags: { before: ['a'], after: ['a', 'b'] },
      pixels: { before: [], after: [pixel.id] },
      metatitle: { before: 'Second', after: null },
    })
    expect(fields).toMatchObject({
      surface: 'api',
      by: { type: 'key', name: expect.any(String) },
      changes: {
        url: { before: firstUrl, after: secondUrl },
        metatitle: { before: null, after: 'Second' },
      },
    })
    expect(creation?.changes.url).toEqual({ before: null, after: firstUrl })
    expect(creation?.changes.custom).toEqual({ before: null, after: alias })
  })

  test('never shows or stores a password', async ({ app, make, owner, history }) => {
    const { id } = await make.link(owner, { url: firstUrl, password: 'first secret' })
    await history.update(id, { url: firstUrl, password: 'second secret' })
    await history.update(id, { url: firstUrl, password: '' })
    await history.update(id, { url: firstUrl, password: 'third secret' })
    const versions = await history.list(id)
    expect(versions.map(({ changes }) => changes.password)).toEqual([
      { before: null, after: 'set' },
      { before: 'set', after: null },
      { before: 'set', after: 'changed' },
      { before: null, after: 'set' },
    ])
    const stored = await app.services.database.pool.query(
      'select changes::text from link_versions where link_id = $1',
      [id],
    )
    expect(JSON.stringify([versions, stored.rows])).not.toMatch(/secret|\$argon|\$quick/)
  })

  test('returns pages of versions, newest first', async ({ app, make, owner, history }) => {
    const { id } = await make.link(owner, { url: firstUrl })
    for (const title of ['1', '2', '3'])
      await history.update(id, { url: firstUrl, metatitle: title })
    const reply = await app.request({
      url: `/api/url/${id}/versions?limit=3&page=2`,
      headers: owner.headers,
    })
    expect(reply.json().data).toMatchObject({
      result: 4,
      perpage: 3,
      currentpage: 2,
      maxpage: 2,
      versions: [{ id: 0 }],
    })
    expect(await listVersions(app, owner, id, '?limit=3&page=3')).toEqual([])
    expect((await listVersions(app, owner, id, '?limit=3')).map(({ changes }) => changes)).toEqual([
      { metatitle: { before: '2', after: '3' } },
      { metatitle: { before: '1', after: '2' } },
      { metatitle: { before: null, after: '1' } },
    ])
  })

  test('returns 404 for links of other accounts', async ({ app, make, owner, history }) => {
    const otherOwner = await make.owner()
    const { id } = await make.link(owner)
    for (const invalidId of [id, 999_999]) {
      const url = `/api/url/${invalidId}/versions`
      expect((await app.request({ url, headers: otherOwner.headers })).statusCode).toBe(404)
      expect((await history.restore(invalidId, 0, otherOwner)).statusCode).toBe(404)
    }
  })

  test('returns 404 for versions of other links', async ({ make, owner, history }) => {
    const [first, second] = [await make.link(owner), await make.link(owner)]
    for (const { id } of [first, second]) {
      await history.update(id, { url: 'https://example.com/changed' })
    }
    const [changed] = await history.list(second.id)
    expect(changed?.id).toBeGreaterThan(0)
    expect((await history.restore(first.id, changed?.id ?? 0)).statusCode).toBe(404)
    expect((await history.restore(second.id, changed?.id ?? 0)).statusCode).toBe(200)
  })

  test('hides email addresses from keys that are bound to a domain', async ({ app, make }) => {
    const owner = await make.owner()
    const { host } = await make.domain(owner)
    const { id } = await make.link(owner, { domain: host })
    await app.services.database.pool.query(
      `update links set created_by = 'console:' || (select user_id from members where account_id = $2)
       where id = $1`,
      [id, owner.account.id],
    )
    const bound = await createScopedKey(app, owner, 'read', host)
    expect((await listVersions(app, owner, id))[0]?.by?.name).toBe(owner.account.email)
    expect((await listVersions(app, bound, id))[0]?.by?.name).toBe(null)
  })
})

describe('versions', () => {
  test('record their link’s deletion and are deleted with the link', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { id } = await make.link(owner)
    await history.update(id, { url: secondUrl })
    const { pool } = app.services.database
    const count = async () => (await pool.query(COUNT, [id])).rows[0]?.count
    expect(await count()).toBe(1)
    await app.request({ method: 'DELETE', url: `/api/url/${id}/delete`, headers: owner.headers })
    const { rows } = await pool.query(
      'select changes from link_versions where link_id = $1 order by id desc limit 1',
      [id],
    )
    expect(rows).toEqual([{ changes: { deleted: { before: false, after: true } } }])
    await emptyTrash(app.services.db, { olderThanDays: 0 })
    expect(await count()).toBe(0)
  })

  test('are deleted after 365 days, including the creation', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { db, database } = app.services
    const { id } = await make.link(owner, { url: firstUrl })
    await history.update(id, { url: secondUrl })
    await history.update(id, { url: firstUrl })
    await database.pool.query(
      `update link_versions set changed_at = now() - interval '366 days'
       where id = (select min(id) from link_versions where link_id = $1)`,
      [id],
    )
    await database.pool.query(
      `update links set created_at = now() - interval '367 days' where id = $1`,
      [id],
    )
    await deleteExpired(db)
    expect((await history.list(id)).map(({ changes }) => changes)).toEqual([
      { url: { before: secondUrl, after: firstUrl } },
    ])
    expect((await history.restore(id, 0)).statusCode).toBe(404)
  })

  test('beyond the newest 1,000 of a link are not listed', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { id } = await make.link(owner, { url: firstUrl })
    await app.services.database.pool.query(
      `insert into link_versions (link_id, changed_by, changes)
       select $1, 'api:1', jsonb_build_object('metatitle', jsonb_build_object(
         'before', n::text, 'after', (n + 1)::text))
       from generate_series(1, 1000) n`,
      [id],
    )
    await history.update(id, { url: secondUrl })
    const versions = await listVersions(app, owner, id, '?limit=1000')
    expect(versions).toHaveLength(1000)
    expect(versions[0]?.changes).toEqual({ url: { before: firstUrl, after: secondUrl } })
    expect(versions.at(-1)?.changes.metatitle?.before).toBe('2')
  })

  test('of long lists contain only what changed, and restore the whole list', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { id } = await make.link(owner, { url: firstUrl })
    const rules = Array.from({ length: 50 }, (_, index) => createLongRule(`original-${index}`))
    await history.update(id, { url: firstUrl, rules })
    const changed = rules.with(20, createLongRule('changed')).toSpliced(30, 2)
    await history.update(id, { url: firstUrl, rules: changed })
    await history.update(id, { url: firstUrl, rules: [createLongRule('first'), ...changed] })
    const versions = await history.list(id)
    expect(versions[0]?.changes).toEqual({
      rules: { before: [], after: [createLongRule('first')] },
    })
    expect(versions[1]?.changes).toEqual({
      rules: { before: rules.slice(20, 32), after: changed.slice(20, 30) },
    })
    expect((await history.restore(id, versions[2]?.id ?? 0)).statusCode).toBe(200)
    expect((await history.getDetails(id)).rules).toEqual(rules)
    expect((await history.restore(id, 0)).statusCode).toBe(200)
    const { rows } = await app.services.database.pool.query(
      'select rules from links where id = $1',
      [id],
    )
    expect(rows).toEqual([{ rules: [] }])
  })

  test('of a link have at most a mebibyte: the oldest are deleted', async ({
    app,
    make,
    owner,
    history,
  }) => {
    const { id } = await make.link(owner, { url: firstUrl })
    for (let count = 1; count <= 6; count += 1) {
      const rules = Array.from({ length: 50 }, (_, index) => createLongRule(`${count}-${index}`))
      await history.update(id, { url: firstUrl, rules })
    }
    const reply = await app.request({
      url: `/api/url/${id}/versions?limit=1000`,
      headers: owner.headers,
    })
    expect(reply.body.length).toBeLessThan(1_100_000)
    const { versions, ...page } = reply.json().data
    expect(page).toMatchObject({ result: versions.length, maxpage: 1 })
    expect(versions.length).toBeLessThan(5)
    expect(versions[0].changes.rules.after[0]).toEqual(createLongRule('6-0'))
    // The original is unknown, because it follows from versions that were deleted.
    expect(versions.at(-1).id).not.toBe(0)
    expect((await history.restore(id, 0)).statusCode).toBe(404)
    expect((await history.restore(id, versions.at(-1).id)).statusCode).toBe(200)
  })

  test('of concurrent changes build on each other', async ({ make, owner, history }) => {
    const { id } = await make.link(owner, { url: firstUrl })
    await Promise.all(
      ['a', 'b', 'c', 'd', 'e'].map((metatitle) =>
        history.update(id, { url: firstUrl, metatitle }),
      ),
    )
    const titles = (await history.list(id)).slice(0, -1).map(({ changes }) => changes.metatitle)
    expect(titles).toHaveLength(5)
    expect(titles.map((title) => title?.before)).toEqual([
      ...titles.slice(1).map((title) => title?.after),
      null,
    ])
  })
})

const COUNT = 'select count(*)::int as count from link_versions where link_id = $1'

const createLongRule = (name: string) => ({
  when: { query: { name } },
  to: `https://example.com/${name}/${'x'.repeat(3500)}`,
})
