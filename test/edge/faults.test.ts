import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, describe, expect } from 'vitest'
import { tableHead } from '../support/accounting.ts'
import { faultRounds } from '../support/deployment.ts'
import { edgeTest, HOST, untilReply } from '../support/edge-test.ts'
import { signal, until } from '../support/processes.ts'

const table: string[] = []
const timeout = 240_000 + faultRounds * 30_000

/**
 * A `test` with `underLoad`, which calls `injectFault` at random moments while an edge is visited, and
 * then expects that every acknowledged visit is counted once.
 */
const test = edgeTest().extend(
  'underLoad',
  { scope: 'file' },
  ({ edge, deployment }) =>
    async (fault: string, injectFault: () => Promise<void>): Promise<void> => {
      await edge.ready()
      // HEAD requests are not counted as clicks.
      const head = { method: 'HEAD' }
      await untilReply(edge, deployment.aliases[0] ?? '', { status: 302 }, head)
      const load = deployment.load(deployment.target(edge), { host: HOST })
      for (let round = 0; round < faultRounds; round += 1) {
        await load.waitForMore(200)
        await sleep(Math.random() * 700)
        await injectFault()
      }
      await load.waitForMore(200)
      await load.stop()
      await deployment.waitUntilImported(load)
      table.push(await deployment.expectExactCounts(load, fault, faultRounds))
    },
)

afterAll(() => console.log([tableHead, ...table].join('\n')))

describe('every acknowledged click at an edge is counted exactly once', () => {
  test('while the edge is killed and restarted', { timeout }, async ({ edge, underLoad }) => {
    await underLoad('edge killed', async () => {
      await edge.kill()
      await edge.start()
    })
  })

  test('while the main installation is killed and restarted', { timeout }, async ({
    main,
    underLoad,
  }) => {
    await underLoad('main killed', async () => {
      await main.kill()
      await main.start()
    })
  })

  test.for([
    ['edge', 'hand-over.ts'],
    ['edge', 'worker.ts'],
    ['main', 'worker.ts'],
  ] as const)(
    'while a process is killed (%s, %s)',
    { timeout },
    async ([side, file], { main, edge, underLoad }) => {
      const instance = side === 'edge' ? edge : main
      await underLoad(`${side}: ${file}`, async () => {
        const pid = await instance.waitForProcess(file)
        signal(pid, 'SIGKILL')
        await until('another process runs', async () => {
          const pids = await instance.listPids(file)
          return pids.length > 0 && !pids.includes(pid)
        })
        await instance.ready()
      })
    },
  )

  test('while the link store of the edge is deleted', { timeout }, async ({ edge, underLoad }) => {
    await underLoad('store deleted', async () => {
      await edge.ready()
      await rm(join(edge.dataDir, 'store'), { recursive: true, force: true })
    })
  })

  test('and the edge stops without errors afterwards', { timeout }, async ({ edge }) => {
    expect(await edge.stop()).toBe(0)
    expect(edge.stderrTexts).toEqual([])
  })
})
