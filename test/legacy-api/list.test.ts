import { request as httpRequest, type IncomingMessage } from 'node:http'
import { sql } from 'kysely'
import { expect, onTestFinished } from 'vitest'
import { buildApp } from '../../src/http/app.ts'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import { createOtherProcess } from '../support/app.ts'
import { openPatiently } from '../support/database.ts'
import { base64, callLegacyApi, readXml } from '../support/legacy-api.ts'
import type { Owner } from '../support/make.ts'
import { startProxy } from '../support/tcp-proxy.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('activeLinks', { scope: 'file' }, ({ app }, { onCleanup }) => {
  const database = openPatiently(app.databaseUrl, { max: 1 })
  const list = (owner: Owner, format: 'json' | 'xml') =>
    callLegacyApi(app, owner.key, `list_active_urls.${format}`)
  /**
   * Creates links `<prefix>1` to `<prefix><count>` of an account. The condition `isDisabled`
   * selects the disabled ones.
   */
  async function createLinks(owner: Owner, prefix: string, count: number, isDisabled = sql`false`) {
    const batchSize = 10_000
    for (let createdCount = 0; createdCount < count; createdCount += batchSize) {
      await sql`
      insert into links (account_id, alias, url, status)
      select ${owner.account.id}, ${prefix} || n, 'https://example.com/',
             case when ${isDisabled} then 'disabled' else 'active' end
      from generate_series(${createdCount + 1}::int, ${Math.min(createdCount + batchSize, count)}::int) n
      order by n`.execute(database.db)
    }
  }
  onCleanup(async () => {
    await database.close()
  })
  return { list, createLinks }
})

test('list_active_urls lists active links, newest first, in both formats', async ({
  app,
  make,
  activeLinks: { list },
}) => {
  const owner = await make.owner()
  await make.link(await make.owner())
  await make.domain(owner, { domain: 'https://go.example' })
  const plainLink = await make.link(owner)
  const branded = await make.link(owner, { domain: 'go.example', alias: 'größe' })
  const disabled = await make.link(owner)
  await callLegacyApi(app, owner.key, `disable/short_url/${base64(disabled.shortUrl)}.json`)
  const soon = formatTimestamp(new Date(app.clock().getTime() + 60_000))
  const expiringSoon = await make.link(owner, { expiresAt: soon })
  const expiringLater = await make.link(owner, { expiresAt: '2099-01-01', password: 'x' })

  const listShortUrls = async () => {
    const json = await list(owner, 'json')
    expect(json.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(json.json()).toEqual({
      code: 200,
      data: { urls: json.json().data.urls, date_time: formatTimestamp(app.clock()) },
    })
    const xml = await list(owner, 'xml')
    expect(xml.headers['content-type']).toBe('text/xml; charset=utf-8')
    const { client, time, code, data } = readXml(xml.body)
    expect({ client, time, code }).toEqual({
      client: '203.0.113.7',
      time: String(Math.floor(app.clock().getTime() / 1000)),
      code: '200',
    })
    expect({ ...data, urls: (data.urls as { url: unknown }).url }).toEqual(json.json().data)
    return json.json().data.urls.map((entry: { short_url: string }) => entry.short_url)
  }
  expect(await listShortUrls()).toEqual(
    [expiringLater, expiringSoon, branded, plainLink].map(({ shortUrl }) => shortUrl),
  )
  app.clock.advance(60)
  expect(await listShortUrls()).toEqual(
    [expiringLater, branded, plainLink].map(({ shortUrl }) => shortUrl),
  )
})

test('list_active_urls returns an empty list for an account without links', async ({
  app,
  make,
  activeLinks: { list },
}) => {
  const owner = await make.owner()
  const date_time = formatTimestamp(app.clock())
  expect((await list(owner, 'json')).json()).toEqual({ code: 200, data: { urls: [], date_time } })
  expect(readXml((await list(owner, 'xml')).body).data).toEqual({ urls: '', date_time })
})

test('list_active_urls lists links across batches and skips long runs of inactive links', async ({
  make,
  activeLinks: { list, createLinks },
}) => {
  for (const count of [999, 1000, 1001, 2000]) {
    const owner = await make.owner()
    await createLinks(owner, `edge-${count}-`, count)
    expect((await list(owner, 'json')).json().data.urls).toHaveLength(count)
  }
  const owner = await make.owner()
  await createLinks(owner, 'inactive-', 4000, sql`n between 2 and 3999`)
  expect((await list(owner, 'json')).json().data.urls).toEqual([
    { short_url: 'http://brev.test/inactive-4000' },
    { short_url: 'http://brev.test/inactive-1' },
  ])
})

/** Enough links that the list is far larger than socket buffers. */
const LINK_COUNT = 40_000
const manyTest = test.extend(
  'many',
  { scope: 'file' },
  async ({ app, make, activeLinks: { createLinks } }) => {
    const owner = await make.owner()
    const prefix = `${'ß'.repeat(40)}-many-`
    await createLinks(owner, prefix, LINK_COUNT)
    const deleted = new Set<number>()
    /** Deletes the link with this number, starting at 1 for the oldest. */
    async function remove(number: number): Promise<void> {
      const { db } = app.services.database
      const alias = `${prefix}${number}`
      const { numDeletedRows } = await db
        .deleteFrom('links')
        .where('alias', '=', alias)
        .executeTakeFirst()
      expect(numDeletedRows).toBe(1n)
      deleted.add(number)
    }
    /** Returns the account's short URLs, newest first. */
    function listRemaining(): string[] {
      const origin = `http://brev.test/${encodeURIComponent(prefix)}`
      const numbers = Array.from({ length: LINK_COUNT }, (_, index) => LINK_COUNT - index)
      return numbers.filter((number) => !deleted.has(number)).map((number) => origin + number)
    }
    return { owner, remove, listRemaining }
  },
)

// The numbers are those of the oldest link, which each test deletes.
manyTest.for([
  ['json', 1],
  ['xml', 2],
] as const)(
  'list_active_urls.%s reads a long list only as fast as the client, without holding a connection',
  async ([format, oldest], { app, many: { owner, remove, listRemaining } }) => {
    await app.listen()
    const reply = await requestList(
      app.port(),
      `/api/v1/${owner.key}/shorturl/list_active_urls.${format}`,
    )
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-length']).toBeUndefined()

    const { pool } = app.services.database
    await expect.poll(() => pool.totalCount - pool.idleCount, { timeout: 60_000 }).toBe(0)
    // The list has not reached the oldest link yet, so deleting it removes it from the reply.
    await remove(oldest)

    const chunks: Buffer[] = []
    for await (const chunk of reply) chunks.push(chunk)
    const body = Buffer.concat(chunks).toString()
    const urls =
      format === 'json'
        ? JSON.parse(body).data.urls.map((entry: { short_url: string }) => entry.short_url)
        : body.match(/(?<=<url><short_url>)[^<]+(?=<\/short_url><\/url>)/g)
    expect(urls).toEqual(listRemaining())
    if (format === 'xml') expect(body.endsWith('</data></response></message>')).toBe(true)
  },
)

manyTest.for(['json', 'xml'] as const)(
  'list_active_urls.%s closes the connection if the database fails',
  async (format, { app, many: { owner } }) => {
    const proxy = await startProxy(app.databaseUrl)
    const services = await createOtherProcess(app, { databaseUrl: proxy.url })
    const otherApp = await buildApp(services)
    onTestFinished(async () => {
      await otherApp.close()
      await services.close()
      await proxy.close()
    })
    await otherApp.listen({ host: '127.0.0.1', port: 0 })
    const port = Number(new URL(otherApp.listeningOrigin).port)
    const reply = await requestList(
      port,
      `/api/v1/${owner.key}/shorturl/list_active_urls.${format}`,
    )
    expect(reply.statusCode).toBe(200)
    proxy.disconnect()
    let body = ''
    const readAll = async () => {
      for await (const chunk of reply) body += chunk
    }
    await expect(readAll()).rejects.toThrow('aborted')
    expect(body).not.toContain('date_time')
  },
)

/** Resolves with the reply when its headers arrive, before its body is read. */
function requestList(port: number, path: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const headers = { host: 'brev.test' }
    const request = httpRequest({ host: '127.0.0.1', port, path, headers, agent: false }, resolve)
    onTestFinished(() => void request.destroy())
    request.on('error', reject).end()
  })
}
