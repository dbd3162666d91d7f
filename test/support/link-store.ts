import { expect } from 'vitest'
import { runCommand } from './command.ts'
import { send } from './http.ts'
import type { Instance } from './instance.ts'
import { until } from './processes.ts'

/** Waits until the link store of an installation contains every link. */
export async function untilStoreComplete({ origin }: Pick<Instance, 'origin'>): Promise<void> {
  await until(
    'the link store is complete',
    async () => {
      const { body } = await send(`${origin}/metrics`)
      return /^brevis_link_store_building 0$/m.test(body)
    },
    { timeoutMs: 60_000 },
  )
}

/** Waits until the link store of an installation is built, and expects it to equal the database. */
export async function expectSameStore(
  { dataDir }: Pick<Instance, 'dataDir'>,
  databaseUrl: string,
): Promise<void> {
  const env = { DATA_DIR: dataDir, DATABASE_URL: databaseUrl }
  let result: Awaited<ReturnType<typeof runCommand>> | undefined
  await until('the link store is built', async () => {
    result = await runCommand(['store', 'check'], { env })
    return !/no link store|still being built/.test(result.stderr)
  })
  expect(result).toEqual({
    code: 0,
    stdout: 'The link store agrees with the database.\n',
    stderr: '',
  })
}
