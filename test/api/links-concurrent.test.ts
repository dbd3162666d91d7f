import { describe, expect, vi } from 'vitest'
import { listDomains } from '../../src/domains/domain.service.ts'
import { type Reply, resourceClient } from '../support/api-client.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { RATE_LIMIT_PER_MINUTE: '1000' } }).extend(
  'api',
  { scope: 'file' },
  ({ app, owner }) => {
    const { send, add, details } = resourceClient({ app, owner }, 'url')
    /** Returns the number of statements that wait for a lock. */
    async function countBlockedStatements(): Promise<number> {
      const { rowCount } = await app.services.database.pool.query(
        `select from pg_stat_activity
     where wait_event_type = 'Lock' and datname = current_database()`,
      )
      return rowCount ?? 0
    }
    /** Returns the number of accepted requests. */
    async function countAcceptedRequests(): Promise<number> {
      const { rows } = await app.services.database.pool.query<{ hits: number }>(
        'select coalesce(sum(hits), 0)::int as hits from rate_windows',
      )
      return rows[0]?.hits ?? 0
    }
    return { send, add, details, countBlockedStatements, countAcceptedRequests }
  },
)

const target = 'https://example.com/target'
const ALIAS_TAKEN = 'That alias is taken. Please choose another one.'

const statuses = (replies: readonly Reply[]) => replies.map(({ statusCode }) => statusCode)

const PAGE = { limit: 1, offset: 0 }

describe('links created concurrently', () => {
  test('are created as requested and counted', async ({
    app,
    make,
    api: { send, add, details },
  }) => {
    const caller = await make.owner()
    const kinds = [
      () => ({}),
      (n: number) => ({ custom: `together-${n}` }),
      () => ({ expiry: '2099-01-31', metatitle: 'It’s "quoted", {braced} \\ and\nbroken' }),
      () => ({ geotarget: [{ location: 'DE', link: 'https://example.com/de' }] }),
      (n: number) => ({ parameters: [{ name: 'utm_source', value: `"${n}"` }], type: 'frame' }),
    ]
    const inputs = Array.from({ length: 250 }, (_, n) => ({
      url: `${target}/${n}`,
      ...kinds[n % kinds.length]?.(n),
    }))
    const replies = await Promise.all(inputs.map((link) => add(link, caller)))
    expect(new Set(statuses(replies))).toEqual(new Set([200]))
    const ids: number[] = replies.map((reply) => reply.json().id)
    expect(new Set(ids).size).toBe(inputs.length)
    // Reads a sample of the links.
    for (const n of [...inputs.keys()].filter((index) => index % 7 === 0 || index > 240)) {
      const { url, custom, ...fields } = { custom: undefined, ...inputs[n] }
      const { details: stored } = await details(ids[n] ?? 0, caller)
      expect(stored.longurl).toBe(url)
      expect(stored.shorturl).toBe(replies[n]?.json().shorturl)
      if (custom) expect(stored.shorturl).toBe(`http://brev.test/${custom}`)
      const { rows } = await app.services.database.pool.query(
        `select redirect, meta_title, expires_at::text, rules, parameters
         from links where id = $1`,
        [ids[n]],
      )
      expect(rows).toEqual([
        {
          redirect: 'direct',
          meta_title: null,
          expires_at: null,
          rules: [],
          parameters: [],
          ...('parameters' in fields && { redirect: 'frame', parameters: fields.parameters }),
          ...('metatitle' in fields && { meta_title: fields.metatitle }),
          ...('expiry' in fields && { expires_at: expect.stringMatching(/^2099-01-31 23:59:59/) }),
          ...('geotarget' in fields && {
            rules: [{ when: { country: 'DE' }, to: 'https://example.com/de' }],
          }),
        },
      ])
    }
    const { data } = (await send('GET', '/api/urls?limit=1000', undefined, caller)).json()
    expect(data.result).toBe(inputs.length)
    const { rows: newestFirst } = await app.services.database.pool.query<{ id: number }>(
      'select id from links where id = any($1::bigint[]) order by created_at desc, id desc',
      [ids],
    )
    expect(data.urls.map(({ id }: { id: number }) => id)).toEqual(newestFirst.map(({ id }) => id))
  })

  test('get a requested alias once per domain', async ({ make, owner, api: { add } }) => {
    const domain = await make.domain(owner)
    const otherOwner = await make.owner()
    const input = { url: target, custom: 'requested' }
    const replies = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        n % 2 ? add({ ...input, domain: domain.origin }) : add(input, n % 4 ? otherOwner : owner),
      ),
    )
    const created = replies.filter(({ statusCode }) => statusCode === 200)
    expect(created.map((reply) => reply.json().shorturl).toSorted()).toEqual(
      ['http://brev.test/requested', `${domain.origin}/requested`].toSorted(),
    )
    const rejected = replies.filter(({ statusCode }) => statusCode !== 200)
    expect(new Set(rejected.map(({ body }) => body))).toEqual(
      new Set([JSON.stringify({ error: 1, message: ALIAS_TAKEN })]),
    )
  })

  test('do not fail because the database rejects one of them', async ({
    app,
    make,
    owner,
    api: { add, countBlockedStatements, countAcceptedRequests },
  }) => {
    const domain = await make.domain(owner)
    const client = await app.services.database.pool.connect()
    const replies: Promise<Reply>[] = []
    try {
      await client.query('begin')
      await client.query('delete from domains where id = $1', [domain.id])
      // The first request waits for the alias. Requests that arrive meanwhile are stored together
      // after it.
      await client.query(
        `insert into links (account_id, alias, url) values ($1, 'held', 'https://example.com/')`,
        [owner.account.id],
      )
      replies.push(add({ url: target, custom: 'held' }))
      await vi.waitUntil(async () => (await countBlockedStatements()) === 1, { timeout: 60_000 })
      const before = await countAcceptedRequests()
      const variations = [{}, { domain: domain.origin }, {}, { domain: domain.origin }]
      for (const [index, fields] of variations.entries()) {
        replies.push(add({ url: target, custom: `beside-${index}`, ...fields }))
      }
      await vi.waitUntil(async () => (await countAcceptedRequests()) === before + 4, {
        timeout: 60_000,
      })
      // Queries wait for a connection in order, so the requests' own lookups finish before these.
      await Promise.all(
        replies.map(() => listDomains({ db: app.services.db, accountId: owner.account.id }, PAGE)),
      )
    } finally {
      await client.query('commit')
      client.release()
    }
    expect(statuses(await Promise.all(replies))).toEqual([409, 200, 400, 200, 400])
    expect((await replies[2])?.json().message).toBe('domain is not a domain of this account')
  })
})
