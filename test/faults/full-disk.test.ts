import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { balanceOf } from '../support/accounting.ts'
import { testDatabase } from '../support/database.ts'
import { createDeployment } from '../support/deployment.ts'
import { send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { until } from '../support/processes.ts'
import { canMount, mountSmall } from '../support/small-disk.ts'

test.runIf(canMount())(
  'on a full disk, redirects continue, lost clicks are counted, and later clicks are stored',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'brevis-full-'))
    const journal = join(dataDir, 'journal')
    mkdirSync(journal)
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    mountSmall(journal, '1m')
    const database = await testDatabase()
    onTestFinished(database.close)
    const deployment = await createDeployment(database.url, { isMigrated: true })
    onTestFinished(deployment.close)
    const instance = await deployment.createInstance({ dataDir })
    await instance.start()

    const load = deployment.load(deployment.target(instance))
    await load.waitForMore(100)
    // The importer starts after the workers. On a full disk, it could not create the file `id`.
    await until('the importer has started', () => existsSync(join(journal, 'id')))
    const ballast = join(journal, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(2 << 20))).toThrow('ENOSPC')
    await until('a loss is counted', async () => (await readLostClicks(instance)) > 0)
    await load.waitForMore(300)
    rmSync(ballast)
    await until('clicks are stored again', async () => {
      const before = await readLostClicks(instance)
      await load.waitForMore(50)
      return (await readLostClicks(instance)) === before
    })
    await load.waitForMore(300)
    await load.stop()

    const lost = await readLostClicks(instance)
    const crashes = instance.log.filter(({ msg }) => /died|fatal/.test(msg))
    const losses = instance.log.filter(({ msg }) => msg.includes('could not be written'))
    for (const loss of losses) {
      expect(loss).toMatchObject({ level: 50, freeBytes: expect.any(Number) })
      expect(loss.reason).toMatch(/journal cannot be written: the disk is full \(ENOSPC, \d+ bytes/)
    }
    expect(await instance.stop()).toBe(0)
    expect([...load.outcomes.keys()]).toEqual(['302'])
    expect(crashes).toEqual([])
    expect(losses.length).toBeGreaterThan(0)
    expect(losses.reduce((sum, { clicks }) => sum + Number(clicks), 0)).toBeLessThanOrEqual(lost)
    const balance = await balanceOf(database, deployment.services.instance.visitorKey, load)
    expect(balance.lost).toHaveLength(lost)
    expect(balance).toMatchObject({ duplicated: 0, foreign: 0, miscounted: 0, discrepancies: [] })
    expect(balance.recorded).toBe(balance.acknowledged - lost)
  },
)

test.runIf(canMount())(
  'on a full disk, clicks are written to the reserve, and no click is lost',
  async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'brevis-reserve-'))
    const journal = join(dataDir, 'journal')
    const reserve = join(journal, 'reserve')
    mkdirSync(journal)
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
    mountSmall(journal, '4m')
    const database = await testDatabase()
    onTestFinished(database.close)
    const deployment = await createDeployment(database.url, { isMigrated: true })
    onTestFinished(deployment.close)
    const instance = await deployment.createInstance({ dataDir, env: { JOURNAL_RESERVE_MB: '1' } })
    await instance.start()
    const size = () => (existsSync(reserve) ? statSync(reserve).size : 0)
    await until('the reserve is filled', () => size() === 1 << 20)
    await until('the importer has started', () => existsSync(join(journal, 'id')))
    const ballast = join(journal, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(4 << 20))).toThrow('ENOSPC')

    const load = deployment.load(deployment.target(instance))
    await until('the reserve is used', () => size() < 1 << 20)
    await load.waitForMore(100)
    await load.stop()
    expect(await readLostClicks(instance)).toBe(0)
    expect(
      instance.log.filter(({ level, msg }) => level === 50 && /reserve/.test(msg)),
    ).toHaveLength(1)
    await deployment.waitUntilImported(load)
    await deployment.expectExactCounts(load, 'disk full with a reserve', 1)
    expect(await instance.stop()).toBe(0)
  },
)

async function readLostClicks(instance: Instance): Promise<number> {
  const { body } = await send(`${instance.origin}/metrics`)
  return Number(/^brevis_clicks_lost_total (\d+)$/m.exec(body)?.[1])
}
