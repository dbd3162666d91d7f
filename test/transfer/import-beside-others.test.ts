import { sql } from 'kysely'
import { expect, vi } from 'vitest'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'

const test = appTest()
const target = 'https://example.com/x'
const rows = Array.from({ length: 3300 }, (_, index) => ({
  alias: `deep-${index}`,
  url: target,
  tags: [`tag ${index % 7}`],
  clicks: 2,
}))

test('a taken alias ends an import after its complete batches, or is skipped', async ({
  app,
  make,
  owner,
}) => {
  await make.link(await make.owner(), { alias: 'deep-1500' })
  const transfer = createTransferCommands(app, owner)
  const file = await createFile(jsonl(...rows), 'deep.jsonl')
  expect(await transfer.runFailingImport(file, 'jsonl')).toMatch(
    /row 1501: the alias deep-1500 is taken/,
  )
  const { db } = app.services.database
  const readStored = async () => {
    const links = sql`select id from links where account_id = ${owner.account.id}`
    const { rows: found } = await sql`
        select (select count(*)::int from (${links}) l) as links,
          (select count(*)::int from imported_links i where i.link_id in (${links})) as known,
          (select count(*)::int from link_tags t where t.link_id in (${links})) as tags,
          (select sum(clicks)::int from click_totals c where c.link_id in (${links})) as clicks
      `.execute(db)
    return found
  }
  expect(await readStored()).toEqual([{ links: 1000, known: 1000, tags: 1000, clicks: 2000 }])
  const skipped = await transfer.import(file, 'jsonl', '--on-taken', 'skip')
  expect(skipped).toMatchObject({
    rows: 3300,
    created: 2299,
    present: 1000,
    taken: 1,
    clicks: 4598,
    problems: [{ row: 1501, alias: 'deep-1500', problem: 'the alias is taken' }],
  })
  expect(await readStored()).toEqual([{ links: 3299, known: 3299, tags: 3299, clicks: 6598 }])
  expect(await transfer.check()).toContain('agree')
})

test('concurrent imports of the same rows create each link once', async ({ app, make }) => {
  const owner = await make.owner()
  const other = await make.owner()
  const transfer = createTransferCommands(app, owner)
  const renamed = rows.map((row) => ({ ...row, alias: row.alias.replace('deep', 'both') }))
  const firstFile = await createFile(jsonl(...renamed))
  const secondFile = await createFile(jsonl(...renamed.toReversed()))
  const skip = ['--on-taken', 'skip']
  const running = [
    transfer.import(firstFile, 'jsonl', ...skip),
    transfer.import(secondFile, 'jsonl', ...skip),
  ]
  let isOver = false
  const finished = Promise.all(running).finally(() => {
    isOver = true
  })
  const { db } = app.services.database
  const importStarted = db
    .selectFrom('imports')
    .select('id')
    .where('account_id', '=', owner.account.id)
  await vi.waitUntil(async () => (await importStarted.execute()).length > 0, { timeout: 60_000 })
  let createdDirectly = 0
  for (let index = renamed.length - 1; index >= 0 && !isOver; index -= 97) {
    const link = { alias: `both-${index}`, url: `${target}/own`, tags: ['tag 0', 'tag 6'] }
    const [entry] = await Promise.allSettled([make.link(index % 2 ? owner : other, link)])
    if (entry?.status === 'fulfilled') createdDirectly += 1
  }
  const [first, second] = await finished
  expect([first.rows, second.rows]).toEqual([3300, 3300])
  const { rows: found } = await sql`select count(*)::int as links from links
      where alias like 'both-%'`.execute(db)
  expect(found).toEqual([{ links: 3300 }])
  expect(first.created + second.created + createdDirectly).toBe(3300)
  expect(await transfer.check()).toContain('agree')
})
