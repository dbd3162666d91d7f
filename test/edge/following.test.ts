import { expect, onTestFinished } from 'vitest'
import { createDeployment } from '../support/deployment.ts'
import {
  BASE_URL,
  EDGE_TOKEN,
  edgeTest,
  untilClicks,
  untilReply,
  visit,
} from '../support/edge-test.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { countClicks } from '../support/every-visit.ts'
import type { Instance } from '../support/instance.ts'
import { expectSameStore } from '../support/link-store.ts'
import { signal, until } from '../support/processes.ts'

const test = edgeTest()
/** A number of changes that does not fit in one reply of the main installation. */
const MANY = 25_000

test('the store of an edge equals the database after many concurrent edits', async ({
  deployment,
  database,
  edge,
}) => {
  const { make, owner, database: db } = deployment
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const { id } = await make.link(owner, { url: `https://example.com/${index}` })
      if (index % 3 === 0) await db.pool.query('delete from links where id = $1', [id])
      const url = `https://example.com/changed/${index}`
      await db.pool.query('update links set url = $2 where id = $1', [id, url])
    }),
  )
  await expectSameStore(edge, database.url)
})

test('an edge follows more changes than fit in one reply', async ({
  deployment,
  database,
  edge,
}) => {
  const { owner, aliases } = deployment
  await untilReply(edge, aliases[0] ?? '', { status: 302 })
  await database.pool.query(
    `insert into links (account_id, alias, url)
     select $1::bigint, 'many-' || n, 'https://example.com/' || n from generate_series(1, $2) n`,
    [owner.account.id, MANY],
  )
  await untilStored(edge, MANY)
  await untilReply(edge, `many-${MANY}`, { status: 302 })
  await expectSameStore(edge, database.url)
})

test('an edge rebuilds its store if the changes it missed were deleted', async ({
  deployment,
  database,
  edge,
}) => {
  expect(await edge.stop()).toBe(0)
  const { alias } = await deployment.make.link(deployment.owner)
  await database.pool.query(
    'update change_feed set pruned_before = pg_snapshot_xmax(pg_current_snapshot())',
  )
  await database.pool.query('delete from changes')
  await edge.start()
  await untilReply(edge, alias, { status: 302 })
  await expectSameStore(edge, database.url)
})

test('an edge keeps its links and clicks if its main installation is replaced by another', async ({
  deployment,
  database,
  main,
  edge,
}) => {
  const link = await deployment.make.link(deployment.owner)
  // Without a visit, whose import would fail before the other installation answers.
  await expectSameStore(edge, database.url)
  expect(await main.stop()).toBe(0)
  const otherDeployment = await createDeployment(await emptyDatabase())
  onTestFinished(otherDeployment.close)
  const { make, owner } = otherDeployment
  await make.link(owner, { alias: link.alias, url: 'https://example.com/other' })
  const other = await otherDeployment.createInstance({ env: { EDGE_TOKEN, BASE_URL } })
  await other.launch({ PORT: String(main.port) })
  await until('the other installation is ready', () => isReady(main))
  const expectVisit = async () =>
    expect(await visit(edge, link.alias)).toMatchObject({
      status: 302,
      headers: { location: 'https://example.com/target' },
    })
  await expectVisit()
  await until('the edge names both installations', () =>
    edge.log.some(({ err }) => /belong to installation .* but/.test(JSON.stringify(err ?? ''))),
  )
  await until('the edge does not follow the other installation', () =>
    edge.log.some(({ reason }) => /but the main installation .* is installation/.test(`${reason}`)),
  )
  await untilReply(edge, 'health/ready', {
    status: 503,
    text: 'but the main installation',
  })
  const refusals = () =>
    edge.log.filter(({ reason }) =>
      /but the main installation .* is installation/.test(`${reason}`),
    )
  expect(refusals()).toHaveLength(1)
  expect((await visit(edge, 'health/redirects')).status).toBe(200)
  // A worker that starts meanwhile also knows it.
  signal(await edge.waitForProcess('worker.ts'), 'SIGKILL')
  await untilReply(edge, 'health/ready', { status: 503, text: 'MAIN_URL' })
  await expectVisit()
  expect(await countClicks(otherDeployment)).toBe(0)
  expect(refusals()).toHaveLength(1)
  await other.kill()
  await main.start()
  await untilClicks(deployment, link.id, 2)
  await untilReply(edge, 'health/ready', { status: 200 })
})

async function isReady(instance: Instance): Promise<boolean> {
  const reply = await visit(instance, 'health/ready').catch(() => undefined)
  return reply?.status === 200
}

/** Waits until the store of an edge has at least this number of links. */
async function untilStored(edge: Instance, links: number): Promise<void> {
  await until(`the edge has ${links} links`, async () => {
    const { body } = await visit(edge, 'metrics')
    const isComplete = /^brevis_link_store_building 0$/m.test(body)
    return isComplete && Number(/^brevis_link_store_links (\d+)$/m.exec(body)?.[1]) >= links
  })
}
