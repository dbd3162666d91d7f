import { sql } from 'kysely'
import { expect } from 'vitest'
import { withConnection } from '../../src/db/connection.ts'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('searches of an account wait in its own limited queue and do not delay other accounts', async ({
  app,
  make,
  request,
}) => {
  const busyOwner = await make.owner()
  const otherOwner = await make.owner()
  for (const owner of [busyOwner, otherOwner])
    await make.link(owner, { url: 'https://example.com/wanted' })
  const session = await createSession(scopeOf(app.services, busyOwner.account.id))
  const headers = { cookie: `brevis_session=${session}` }
  const search = () => request({ url: '/console/links?q=wanted', headers })

  const rejected: number[] = []
  const replies = await withConnection({ url: app.databaseUrl, name: 'test' }, async ({ db }) => {
    await sql`begin`.execute(db)
    await sql`lock table links in access exclusive mode`.execute(db)
    const searches = Array.from({ length: 40 }, async () => {
      const { statusCode } = await search()
      if (statusCode !== 200) rejected.push(statusCode)
      return statusCode
    })
    // One search runs, 32 wait, and the others are rejected immediately.
    await expect.poll(() => rejected, { timeout: 60_000 }).toEqual(new Array(7).fill(503))
    const keys = await request({ url: '/console/keys', headers })
    expect(keys.statusCode).toBe(200)
    const otherSearch = request({ url: '/api/urls?q=wanted', headers: otherOwner.headers })
    await sql`rollback`.execute(db)
    expect((await otherSearch).json()).toMatchObject({ data: { result: 1 } })
    return Promise.all(searches)
  })
  expect(replies.filter((status) => status === 200)).toHaveLength(33)
  const lastReply = await search()
  expect(lastReply.statusCode).toBe(200)
  expect(lastReply.body).toContain('https://example.com/wanted')
})

test('the quick search finds links and pages by words in any order', async ({
  make,
  app,
  request,
}) => {
  const owner = await make.owner()
  const title = 'YouTube: assembling “Fjord” in 9 minutes'
  const { id } = await make.link(owner, { metaTitle: title })
  await make.link(owner, { metaTitle: 'Fjord' })
  const session = await createSession(scopeOf(app.services, owner.account.id))
  const search = async (q: string) => {
    const url = `/console/search?${new URLSearchParams({ q })}`
    return (await request({ url, headers: { cookie: `brevis_session=${session}` } })).body
  }
  const found = await search('fjord assembling')
  expect(found).toContain(`/console/links/${id}`)
  expect(found.match(/\/console\/links\/\d+/g)).toHaveLength(1)
  expect(await search('codes qr')).toContain('QR codes')
  await make.link(owner, { tags: ['Norwegian <fjords>', 'sale'] })
  expect(await search('norwegian')).toContain('<mark>Norwegian</mark> &lt;fjords&gt;')
  expect(await search('norwegian')).not.toContain('sale')
})
