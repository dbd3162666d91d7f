import { describe, expect } from 'vitest'
import { apiClient } from '../support/api-client.ts'
import type { Owner } from '../support/make.ts'
import { newOwnerTest } from '../support/test.ts'

type Reply = { result: number; resultCapped?: true; after: number | null; urls: { id: number }[] }

const test = newOwnerTest()
  .extend('send', ({ app, owner }) => apiClient({ app, owner }))
  .extend('walk', ({ send }) => {
    /** Follows `after` from the newest link to the end. Returns the ids of each reply. */
    return async (query = '', between: (step: number) => Promise<unknown> = async () => {}) => {
      const steps: number[][] = []
      for (let after: number | null = 0; after !== null; ) {
        const reply = await send('GET', `/api/urls?after=${after}${query}`)
        const data: Reply = reply.json().data
        expect(data.resultCapped).toBe(data.after === null ? undefined : true)
        expect(data.result).toBe(data.urls.length)
        steps.push(data.urls.map(({ id }) => id))
        after = data.after
        await between(steps.length)
      }
      return steps
    }
  })
  .extend('makeLinks', ({ make }) => async (owner: Owner, count: number) => {
    const ids: number[] = []
    for (let index = 0; index < count; index += 1) {
      const tags = index % 3 === 0 ? ['third'] : []
      ids.unshift((await make.link(owner, { alias: `walk-${owner.account.id}-${index}`, tags })).id)
    }
    return ids
  })

describe('GET /api/urls?after=', () => {
  test('walks through all links of the account in the order of arrival, newest first', async ({
    owner,
    make,
    makeLinks,
    walk,
  }) => {
    const ids = await makeLinks(owner, 7)
    await makeLinks(await make.owner(), 2)
    expect((await walk('&limit=3')).flat()).toEqual(ids)
    expect((await walk('&limit=3'))[0]).toEqual(ids.slice(0, 3))
    expect(await walk('&limit=1000')).toEqual([ids])
  })

  test('neither repeats nor omits links while others are created and deleted', async ({
    owner,
    make,
    makeLinks,
    send,
    walk,
  }) => {
    const ids = await makeLinks(owner, 6)
    const walked = await walk('&limit=2', async (step) => {
      await make.link(owner)
      if (step === 1) await send('DELETE', `/api/url/${ids[1]}/delete`)
      if (step === 1) await send('DELETE', `/api/url/${ids[4]}/delete`)
    })
    expect(walked.flat()).toEqual(ids.filter((id) => id !== ids[4]))
  })

  test('combines with filters, and ends for an account without matches', async ({
    owner,
    makeLinks,
    walk,
  }) => {
    const ids = await makeLinks(owner, 7)
    const third = [ids[0], ids[3], ids[6]]
    expect((await walk('&tag=third&limit=2')).flat()).toEqual(third)
    expect((await walk('&q=third&limit=2')).flat()).toEqual(third)
    expect((await walk('&q=-5')).flat()).toEqual([ids[1]])
    expect(await walk('&q=nothing')).toEqual([[]])
    expect(await walk('&tag=nothing')).toEqual([[]])
  })

  test('lists only links on the domain of a bound key', async ({ owner, make, makeLinks, app }) => {
    await makeLinks(owner, 2)
    const { id: domainId, host } = await make.domain(owner)
    const { id } = await make.link(owner, { domain: host })
    await makeLinks(await make.owner(), 1)
    const { rows } = await app.services.database.pool.query<{ id: number }>(
      'update api_keys set domain_id = $2 where account_id = $1 returning id',
      [owner.account.id, domainId],
    )
    expect(rows).toHaveLength(1)
    app.services.access.invalidate()
    const reply = await app.request({ url: '/api/urls?after=0', headers: owner.headers })
    expect(reply.json().data).toMatchObject({ after: null, urls: [{ id }] })
  })

  test.for([
    ['after=-1', 'after must be the ID of a link, or 0'],
    ['after=x', 'after must be the ID of a link, or 0'],
    ['after=1e3', 'after must be the ID of a link, or 0'],
    ['after=0&page=2', 'page must be 1 together with after'],
    ['after=0&limit=0', 'limit must be a positive integer'],
  ] as const)('rejects %s', async ([query, message], { send }) => {
    const reply = await send('GET', `/api/urls?${query}`)
    expect([reply.statusCode, reply.json()]).toEqual([400, { error: 1, message }])
  })
})
