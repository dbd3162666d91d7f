import { expect } from 'vitest'
import { edgeTest, HOST, untilClicks, untilReply, visit } from '../support/edge-test.ts'
import { countClicks, expectClicks, expectVisits, makeEveryVisit } from '../support/every-visit.ts'
import type { Instance } from '../support/instance.ts'
import { until } from '../support/processes.ts'

const test = edgeTest()

test('an edge redirects every link without the main installation, even after a restart, and its clicks are counted later', async ({
  deployment,
  main,
  edge,
}) => {
  const visits = await makeEveryVisit(deployment)
  const limited = await deployment.make.link(deployment.owner, { maxClicks: 3 })
  const { id, alias } = await deployment.make.link(deployment.owner)
  await untilReply(edge, alias, { status: 302 })
  await untilClicks(deployment, id, 1)
  const before = await countClicks(deployment)

  await main.kill()
  expect((await visit(edge, alias, { headers: { 'user-agent': 'Googlebot/2.1' } })).status).toBe(
    302,
  )
  await expectVisits(edge, visits, HOST)
  await edge.kill()
  await edge.start()
  await expectVisits(edge, visits, HOST)
  await until('an unknown alias is unavailable', async () => {
    return (await visit(edge, 'unknown')).status === 503
  })
  for (const path of ['unknown', limited.alias, 'b/unknown', 'qr/unknown.svg']) {
    const reply = await visit(edge, path)
    expect(reply.status).toBe(503)
    expect(reply.headers['retry-after']).toMatch(/^\d+$/)
  }
  expect((await visit(edge, 'health/ready')).status).toBe(200)
  expect(await readFailingSeconds(edge)).toBeGreaterThan(0)

  await main.start()
  // All visits were sent twice while the main installation was down.
  await expectClicks(deployment, before + 2 * visits.filter(({ isClick }) => isClick).length)
  await until('the visit of the robot is listed', async () => {
    const { rows } = await deployment.database.pool.query(
      `select from uncounted_days where link_id = $1 and visits = '{"crawler": {"Googlebot": 1}}'`,
      [id],
    )
    return rows.length === 1
  })
  await untilReply(edge, 'unknown', { status: 404 })
  expect((await visit(edge, limited.alias)).status).toBe(302)
  await until('the edge sends clicks again', async () => (await readFailingSeconds(edge)) === 0)
  expect(edge.stderrTexts).toEqual([])
  expect(await edge.stop()).toBe(0)
  expect(await main.stop()).toBe(0)
})

async function readFailingSeconds(edge: Instance): Promise<number> {
  const { body } = await visit(edge, 'metrics')
  return Number(/^brevis_importer_failing_seconds (\S+)$/m.exec(body)?.[1])
}
