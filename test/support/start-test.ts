import { chmod, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, inject, vi } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import { readPostmasterPid } from './embedded-postgres.ts'
import { freePort } from './free-port.ts'
import { launch, type Service } from './service.ts'
import { folderTest } from './test.ts'

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
/** The command that `npm start` runs. */
export const command = [process.execPath, MAIN] as const
const STOP_TIMEOUT_MS = 10_000

/**
 * Returns a `test` for startup: `start` runs the service, by default with `npm start`, until the end
 * of the test. `dataDir` is the data folder of the file, in which a database may keep running between
 * tests.
 */
export function startTest() {
  return (
    folderTest()
      .extend('dataDir', { scope: 'file' }, async ({ folder }, { onCleanup }) => {
        // If run by root, PostgreSQL runs as another user.
        await chmod(folder, 0o755)
        onCleanup(async () => {
          const pid = await readPostmasterPid(folder).catch(() => undefined)
          if (pid !== undefined) process.kill(pid, 'SIGQUIT')
          await vi.waitUntil(async () => !(await isDatabaseRunning(folder)), { timeout: 60_000 })
        })
        return folder
      })
      // Depends on `dataDir`, so that the services end before the cleanup of the data folder.
      .extend('start', async ({ dataDir: _ }, { onCleanup }) => {
        const services: Service[] = []
        onCleanup(async () => {
          for (const service of services) await service.end()
        })
        return async ({ env, ...more }: Parameters<typeof launch>[0]) => {
          const { PATH, HOME } = createChildEnvironment({})
          const shared = { PATH, HOME, ...inject('compileCache') }
          const service = await launch({ ...more, env: { ...shared, ...env } })
          services.push(service)
          return service
        }
      })
  )
}

/** Returns settings for a service with this data folder and a free port. */
export async function settings(
  dataDir: string,
  more: Record<string, string> = {},
): Promise<Record<string, string>> {
  return {
    DATA_DIR: dataDir,
    PORT: String(await freePort()),
    RATE_LIMIT_PER_MINUTE: '10000',
    JOURNAL_RESERVE_MB: '0',
    DRAIN_SECONDS: '0',
    WATCHDOG_SECONDS: '0',
    ...more,
  }
}

/** Returns whether the embedded database of this folder is running. */
export async function isDatabaseRunning(dataDir: string): Promise<boolean> {
  return stat(join(dataDir, 'postgres', 'postmaster.pid')).then(
    () => true,
    () => false,
  )
}

/** Expects the service to exit within 10 seconds, with the code 0. */
export async function expectTimelyExit(service: Service): Promise<void> {
  const timedOut = new Promise<'too late'>((resolve) => {
    setTimeout(resolve, STOP_TIMEOUT_MS, 'too late').unref()
  })
  expect(await Promise.race([service.waitForExit(), timedOut])).toBe(0)
}

/** Calls `send`, which stops the service, and expects exit code 0 and no remaining processes. */
export async function expectCleanStop(
  dataDir: string,
  service: Service,
  send: () => unknown,
): Promise<void> {
  send()
  await expectTimelyExit(service)
  expect(await service.listProcesses()).toEqual([])
  expect(await isDatabaseRunning(dataDir)).toBe(false)
}
