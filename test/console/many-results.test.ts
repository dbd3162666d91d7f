import { expect } from 'vitest'
import { idsOn, linkListTest } from '../support/link-list.ts'

const test = linkListTest()

test('the list counts up to 10,000 results and has pages beyond them', async ({
  app,
  owner,
  person,
}) => {
  await app.services.database.pool.query(
    `insert into links (account_id, alias, url)
     select $1::bigint, 'many-' || $1::bigint || '-' || n, 'https://example.com/'
     from generate_series(1, 10026) n`,
    [owner.account.id],
  )
  for (const filter of ['q=many-', 'clicks=none', 'q=many-&sort=alias']) {
    const readPage = (page: number) => person.open(`/console/links?${filter}&page=${page}`)
    const readNextPage = (body: string) => /rel="next" href="[^"]+page=(\d+)/.exec(body)?.[1]
    const first = (await readPage(1)).body
    expect(first).toContain('10,000+ results')
    expect(first).toContain('Page 1 of 400+')
    expect(first).toContain('Apply to all results')
    expect(readNextPage(first)).toBe('2')
    expect(readNextPage((await readPage(400)).body)).toBe('401')
    const last = await readPage(402)
    expect(last.body).toContain('10,026 results')
    expect(last.body).toContain('Page 402 of 402')
    expect(idsOn(last)).toHaveLength(1)
    expect(readNextPage(last.body)).toBeUndefined()
    expect((await readPage(403)).statusCode).toBe(303)
  }
})
