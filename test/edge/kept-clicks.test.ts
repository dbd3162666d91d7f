import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { backUp } from '../../src/backup/back-up.ts'
import { restore } from '../../src/backup/restore.ts'
import { openPatiently } from '../support/database.ts'
import { edgeTest, untilReply, visit } from '../support/edge-test.ts'
import { emptyDatabase } from '../support/empty-database.ts'
import { countClicks, expectClicks } from '../support/every-visit.ts'
import { until } from '../support/processes.ts'

const test = edgeTest()

test('an edge that keeps clicks replays them once into a main installation restored from a backup', async ({
  deployment,
  main,
  makeEdge,
}) => {
  const { aliases, services } = deployment
  const edge = await makeEdge({ JOURNAL_KEEP_HOURS: '1' })
  await edge.start()
  const visitAll = async () => {
    for (const alias of aliases) expect((await visit(edge, alias)).status).toBe(302)
  }
  await visitAll()
  await expectClicks(deployment, aliases.length)
  const file = join(edge.dataDir, '..', 'kept-clicks.tar.zst')
  await backUp({ databaseUrl: services.config.databaseUrl, file, now: new Date() })
  await visitAll()
  // A restart of the edge finishes its segments, which it keeps.
  await expectClicks(deployment, 2 * aliases.length)
  expect(await edge.stop()).toBe(0)
  await edge.start()
  await until('the segments are kept', () => {
    return readdirSync(join(edge.dataDir, 'journal', 'kept')).length > 0
  })
  await visitAll()
  await expectClicks(deployment, 3 * aliases.length)

  expect(await main.stop()).toBe(0)
  const databaseUrl = await emptyDatabase()
  await restore({ databaseUrl, file })
  await main.launch({ DATABASE_URL: databaseUrl })
  const database = openPatiently(databaseUrl)
  const restored = { ...deployment, database }
  await untilReply(main, 'health/ready', { status: 200 })
  // New clicks reveal at once that the main installation lacks earlier ones.
  await visitAll()
  await expectClicks(restored, 4 * aliases.length)
  // Nothing arrives twice after another restart.
  expect(await edge.stop()).toBe(0)
  await edge.start()
  await visitAll()
  await expectClicks(restored, 5 * aliases.length)
  expect(await countClicks(restored)).toBe(5 * aliases.length)
  expect(edge.stderrTexts).toEqual([])
  expect(await main.stop()).toBe(0)
  await database.close()
})
