import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findPostmaster } from '../../src/embedded-postgres/postmaster.ts'
import { createDeployment } from '../support/deployment.ts'
import { run } from '../support/postgres.ts'
import { startPrivatePostgres } from '../support/private-postgres.ts'
import { until } from '../support/processes.ts'
import { canMount, mountSmall } from '../support/small-disk.ts'

const timeout = 240_000
/** Enough for a new cluster and a few WAL segments of 16 MiB. */
const SIZE = '160m'

test.runIf(canMount())(
  'the embedded database recovers from a full disk without losing clicks',
  { timeout },
  async () => {
    const outside = mkdtempSync(join(tmpdir(), 'brevis-outside-'))
    const disk = join(outside, 'disk')
    const journal = join(outside, 'journal')
    mkdirSync(disk)
    mkdirSync(journal)
    onTestFinished(() => rmSync(outside, { recursive: true, force: true }))
    mountSmall(disk, SIZE)
    // Only the database's disk should be full.
    symlinkSync(journal, join(disk, 'journal'))
    chmodSync(outside, 0o755)
    const postgres = await startPrivatePostgres(disk)
    onTestFinished(postgres.close)
    const deployment = await createDeployment(postgres.url)
    onTestFinished(deployment.close)
    const instance = await deployment.createInstance({ dataDir: disk, url: '' })
    await instance.start()
    const load = deployment.load(deployment.target(instance))
    await load.waitForMore(100)

    const ballast = join(disk, 'ballast')
    expect(() => writeFileSync(ballast, Buffer.alloc(200 << 20))).toThrow('ENOSPC')
    const findServer = () => findPostmaster(join(disk, 'postgres'))
    await until(
      'PostgreSQL has stopped',
      async () => {
        // Each statement starts another WAL segment, which does not fit.
        await run(postgres.url, [
          "select pg_logical_emit_message(true, 'x', 'y')",
          'select pg_switch_wal()',
        ]).catch(() => {})
        // The log line may lack the reason, because PostgreSQL's own log is on the full disk, too.
        return instance.log.some(({ msg }) => /the embedded PostgreSQL was lost/.test(msg))
      },
      { timeoutMs: 60_000 },
    )
    await load.waitForMore(100)
    rmSync(ballast)
    await until('PostgreSQL is running again', async () => (await findServer())?.ready === true, {
      timeoutMs: 60_000,
    })
    await load.waitForMore(100)
    await load.stop()
    await deployment.waitUntilImported(load)
    expect([...load.outcomes.keys()]).toEqual(['302'])
    await deployment.expectExactCounts(load, 'disk of the database full', 1)
    expect(await instance.stop()).toBe(0)
  },
)
