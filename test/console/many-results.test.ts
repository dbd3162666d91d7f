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

test('actions on all results are not offered for more than 100,000 links, or for a part of a search', async ({
  app,
  owner,
  person,
}) => {
  const { pool } = app.services.database
  const { rows } = await pool.query<{ id: number }>(
    `insert into links (account_id, alias, url)
     select $1::bigint, 'few-' || $1::bigint || '-' || n, 'https://example.com/'
     from generate_series(1, 60) n returning id`,
    [owner.account.id],
  )
  const offer = 'Apply to all'
  expect((await person.open('/console/links')).body).toContain(offer)
  expect((await person.open('/console/links?q=few-')).body).toContain(offer)
  const after = rows[50]?.id ?? 0
  const part = await person.open(`/console/links?q=few-&after=${after}`)
  expect(idsOn(part)).toEqual(
    rows
      .slice(25, 50)
      .map(({ id }) => id)
      .reverse(),
  )
  expect(part.body).toContain('50 results')
  expect(part.body).toContain(`after=${after}&amp;page=2`)
  expect(part.body).not.toContain(offer)
  await pool.query(
    `update row_counts set rows = rows + 100000 where ctid = (
       select ctid from row_counts where kind = 'links' and owner_id = $1 limit 1)`,
    [owner.account.id],
  )
  expect((await person.open('/console/links')).body).not.toContain(offer)
})
