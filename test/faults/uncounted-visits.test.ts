import { expect } from 'vitest'
import { faultRounds } from '../support/deployment.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import { until } from '../support/processes.ts'

const test = deploymentTest()

const ROBOTS = 45
/** The number of replies after which the server is killed, before it can have imported the visits. */
const REPLIES = 10

test('every answered visit of a robot is listed exactly once if the server is killed after the reply', {
  timeout: 120_000 + faultRounds * 20_000,
}, async ({ deployment }) => {
  const { database, make, owner } = deployment
  const instance = await deployment.createInstance()
  await instance.start()
  for (let round = 0; round < faultRounds; round += 1) {
    const { id, alias } = await make.link(owner)
    const answered = new Set<string>()
    let reached = () => {}
    const areAnswered = new Promise<void>((resolve) => {
      reached = resolve
    })
    const visits = Array.from({ length: ROBOTS }, async (_, index) => {
      const name = `Example${index}bot`
      await send(`${instance.origin}/${alias}`, {
        // The robots' names are in their requests, whatever the method.
        method: index % 3 === 0 ? 'HEAD' : 'GET',
        headers: { 'user-agent': `${name}/1.0` },
        onHead: () => {
          answered.add(name)
          if (answered.size === REPLIES) reached()
        },
      }).catch(() => {})
    })
    await areAnswered
    await instance.kill()
    await Promise.all(visits)
    await instance.start()
    const readNames = async () => {
      const { rows } = await database.pool.query<{ names: Record<string, number> | null }>(
        `select visits->'crawler' as names from uncounted_days where link_id = $1`,
        [id],
      )
      return rows.flatMap(({ names }) => Object.entries(names ?? {}))
    }
    await until('the answered visits are listed', async () => {
      const listed = new Set((await readNames()).map(([name]) => name))
      return answered.difference(listed).size === 0
    })
    // A visit whose reply the kill cut off may be listed too, but none twice.
    expect((await readNames()).filter(([, visits]) => visits !== 1)).toEqual([])
    const { rows } = await database.pool.query(
      'select clicks from click_totals where link_id = $1',
      [id],
    )
    expect(rows).toEqual([{ clicks: 0 }])
  }
  expect(await instance.stop()).toBe(0)
})
