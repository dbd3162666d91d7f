import { describe, expect } from 'vitest'
import { createStorage } from '../../src/identity/storage.ts'
import { createPeriodicTasks } from '../../src/importer/click-importer.ts'
import { emptyTrash } from '../../src/links/trash.service.ts'
import { recordAnswer } from '../../src/resources/overlay-answers.ts'
import { scopeOf } from '../../src/scope.ts'
import { addWebhook, deleteWebhook } from '../../src/webhooks/webhook.service.ts'
import { apiClient } from '../support/api-client.ts'
import { signIn } from '../support/console.ts'
import { HOME } from '../support/operator.ts'
import { readBytes } from '../support/storage.ts'
import { appTest } from '../support/test.ts'

const FULL = {
  error: 1,
  message: 'This account has used up its storage. Delete something, or ask the operator for more.',
}

const test = appTest({ env: { STORAGE_MB_PER_ACCOUNT: '1' } }).extend(
  'api',
  { scope: 'file' },
  ({ app, owner }) => apiClient({ app, owner }),
)

/** Returns rules of about 150 kB. */
const createRules = (name: string) =>
  Array.from({ length: 40 }, (_, index) => ({
    when: { query: { name: `${name}${index}` } },
    to: `https://example.com/${'x'.repeat(3700)}`,
  }))

describe('an account above STORAGE_MB_PER_ACCOUNT', () => {
  test('can add nothing, but its links redirect and can be disabled and deleted', async ({
    app,
    make,
    api,
  }) => {
    const caller = await make.owner()
    const { id, alias } = await make.link(caller, { url: 'https://example.com/' })
    const existing = new Map<string, number>()
    for (const [type, payload] of [
      ['campaign', { name: 'x' }],
      ['channel', { name: 'x' }],
      ['pixel', { type: 'vendor01pixel', name: 'x', tag: 'AB-1' }],
    ] as const) {
      const added = await api('POST', `/api/${type}/add`, payload, caller)
      existing.set(type, added.json().id)
    }
    const url = 'https://example.com/'
    const update = (name: string) =>
      api('PUT', `/api/url/${id}/update`, { url, rules: createRules(name) }, caller)
    let reply = await update('0')
    for (let count = 1; reply.statusCode === 200 && count < 20; count += 1) {
      reply = await update(String(count))
    }
    expect([reply.statusCode, reply.json()]).toEqual([403, FULL])
    expect(await readBytes(app, caller)).toBeGreaterThan(1_048_576)
    for (const [path, payload] of [
      ['url/add', { url }],
      ['urls/add', { urls: [{ url }] }],
      ['qr/add', { type: 'text', data: 'x' }],
      ['campaign/add', { name: 'x' }],
      ['channel/add', { name: 'x' }],
      ['pixel/add', { type: 'vendor01pixel', name: 'x', tag: 'x' }],
    ] as const) {
      const rejected = await api('POST', `/api/${path}`, payload, caller)
      expect([path, rejected.statusCode, rejected.json()]).toEqual([path, 403, FULL])
    }
    for (const [type, ownId] of existing) {
      const path = `/api/${type}/${ownId}/update`
      const rejected = await api('PUT', path, { name: 'longer', tag: 'AB-1' }, caller)
      expect([path, rejected.statusCode, rejected.json()]).toEqual([path, 403, FULL])
    }
    await expect(make.bio(caller)).rejects.toMatchObject({ code: 'storage_full' })
    await expect(make.overlay(caller)).rejects.toMatchObject({ code: 'storage_full' })
    const person = await signIn(app, caller.account.email)
    const endpoint = { url: 'https://hooks.example/x', 'link.created': 'on' }
    const template = { more: 'utm:save', 'utm-name': 'Sale', utm_source: 'x' }
    for (const [path, fields] of [
      ['/console/webhooks', endpoint],
      ['/console/links/new', template],
    ] as const) {
      const rejected = await person.send(path, fields)
      expect([path, rejected.statusCode]).toEqual([path, 403])
      expect(rejected.body).toContain('used up its storage')
    }
    expect((await person.open('/console/account')).body).toMatch(/1\.\d MiB of 1\.0 MiB used\./)
    expect((await person.send(`/console/links/${id}/disable`, {})).statusCode).toBe(303)
    expect((await person.send(`/console/links/${id}/enable`, {})).statusCode).toBe(303)
    expect((await app.request({ url: `/${alias}` })).headers.location).toBe(url)
    expect((await api('DELETE', `/api/url/${id}/delete`, undefined, caller)).statusCode).toBe(200)
    await emptyTrash(app.services.db, { olderThanDays: 0 })
    expect((await api('POST', '/api/url/add', { url }, caller)).statusCode).toBe(200)
  })

  test('shows the figure to admins, and another plan has another limit', async ({
    app,
    make,
    owner,
    api,
  }) => {
    const caller = await make.owner()
    const { pool } = app.services.database
    await pool.query(
      `insert into row_counts (owner_id, kind, slot, rows) values ($1, 'bytes', 999, 2 * 1048576)`,
      [caller.account.id],
    )
    const admin = await signIn(app, owner.account.email)
    const page = await admin.open(`${HOME}/accounts/${caller.account.id}`)
    expect(page.body).toContain('<dt>Storage</dt><dd>2.0 MiB of 1.0 MiB used.</dd>')
    const add = () => api('POST', '/api/url/add', { url: 'https://example.com/' }, caller)
    expect((await add()).statusCode).toBe(403)
    await pool.query(`update accounts set plan = 'pro' where id = $1`, [caller.account.id])
    expect((await add()).statusCode).toBe(200)
  })
})

test('the bytes of an account follow everything that it adds, changes and deletes', async ({
  app,
  make,
  api,
}) => {
  const caller = await make.owner()
  const { db } = app.services
  const link = await make.link(caller, { metaDescription: 'x'.repeat(1000) })
  const [one, bio, overlay] = [
    await readBytes(app, caller),
    await make.bio(caller),
    await make.overlay(caller, { type: 'contact' }),
  ]
  expect(one).toBeGreaterThan(1200)
  await recordAnswer(db, overlay.id, link.id, { message: 'y'.repeat(5000) })
  const before = await readBytes(app, caller)
  expect(before).toBeGreaterThan(one + 5000)
  await api('PUT', `/api/url/${link.id}/update`, { url: link.url, metadescription: '' }, caller)
  // The shorter link is smaller, and the version has the text.
  expect(await readBytes(app, caller)).toBeGreaterThan(before)
  const changed = await readBytes(app, caller)
  await db
    .insertInto('idempotency_keys')
    .values({
      account_id: caller.account.id,
      key: 'key',
      request_hash: Buffer.alloc(32),
      response: 'z'.repeat(7000),
    })
    .execute()
  expect(await readBytes(app, caller)).toBeGreaterThan(changed + 7000)
  await db.deleteFrom('idempotency_keys').where('account_id', '=', caller.account.id).execute()
  const rest = await readBytes(app, caller)
  await api('PUT', `/api/url/${link.id}/update`, { url: link.url, tags: ['a', 'b'] }, caller)
  expect(await readBytes(app, caller)).toBeGreaterThan(rest + 2 * (100 + 150))
  const hook = { url: 'https://hooks.example/', events: ['link.created'] }
  const tagged = await readBytes(app, caller)
  const hookId = await addWebhook(scopeOf(app.services, caller.account.id), hook)
  expect(await readBytes(app, caller)).toBe(tagged + 500 + hook.url.length)
  await deleteWebhook(scopeOf(app.services, caller.account.id), hookId)
  expect(await readBytes(app, caller)).toBe(tagged)
  await db.deleteFrom('bio_pages').where('id', '=', bio.id).execute()
  await db.deleteFrom('overlays').where('id', '=', overlay.id).execute()
  await api('DELETE', `/api/url/${link.id}/delete`, undefined, caller)
  await emptyTrash(db, { olderThanDays: 0 })
  expect(await readBytes(app, caller)).toBe(0)
})

test('a change of many links relies on no earlier check', async ({ app, make }) => {
  const { db, database } = app.services
  const caller = await make.owner()
  const storage = createStorage({ free: 64 * 1_048_576, pro: 0 })
  await storage.require({ db, accountId: caller.account.id })
  await database.pool.query(
    `insert into row_counts (owner_id, kind, slot, rows) values ($1, 'bytes', 999, 65 * 1048576)`,
    [caller.account.id],
  )
  await storage.require({ db, accountId: caller.account.id })
  const bulk = storage.require({ db, accountId: caller.account.id }, { isBulk: true })
  await expect(bulk).rejects.toMatchObject({ code: 'storage_full' })
})

describe('responses to an overlay', () => {
  test('are limited to the newest 10 MB', async ({ app, make, owner }) => {
    const { db, database } = app.services
    const overlay = await make.overlay(owner, { type: 'contact' })
    await database.pool.query(
      `insert into overlay_answers (overlay_id, answer)
       select $1, jsonb_build_object('message', n || repeat('x', 100000)) from generate_series(1, 104) n`,
      [overlay.id],
    )
    const link = await make.link(await make.owner())
    await recordAnswer(db, overlay.id, link.id, { message: 'the newest' })
    const { rows } = await database.pool.query(
      `select count(*)::int as count, sum(octet_length(answer::text))::int as bytes, max(answer ->> 'message') as newest
       from overlay_answers where overlay_id = $1`,
      [overlay.id],
    )
    expect(rows[0]).toMatchObject({ newest: 'the newest' })
    expect(rows[0]?.bytes).toBeLessThan(10 * 1_048_576)
    expect(rows[0]?.count).toBeGreaterThan(90)
  })

  test('are deleted after ANSWER_RETENTION_DAYS', async ({ app, make, owner }) => {
    const { db, database } = app.services
    const overlay = await make.overlay(owner, { type: 'contact' })
    const link = await make.link(await make.owner())
    for (const message of ['old', 'new']) await recordAnswer(db, overlay.id, link.id, { message })
    await database.pool.query(
      `update overlay_answers set created_at = now() - interval '31 days'
       where overlay_id = $1 and answer ->> 'message' = 'old'`,
      [overlay.id],
    )
    for (const task of createPeriodicTasks(db, { info: () => {} }, 30)) {
      await task(new AbortController().signal)
    }
    const left = db
      .selectFrom('overlay_answers')
      .select('answer')
      .where('overlay_id', '=', overlay.id)
    expect(await left.execute()).toEqual([{ answer: { message: 'new' } }])
  })
})
