import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createChildEnvironment } from '../../src/config.ts'
import type { Brevis } from '../brevis.ts'
import { percentile } from '../figures.ts'
import { readAccountId } from '../make.ts'
import { type Add, time } from './measure.ts'

const COMMAND = fileURLToPath(new URL('../../bin/brevis', import.meta.url))
const PROBE_PAUSE_MS = 20

/**
 * Measures the export, the backup and the deletion of the account with `links` links, and how long
 * creating a link in another account takes during the deletion.
 */
export async function measureCommands(
  brevis: Brevis,
  { links, otherKeys }: { links: number; otherKeys: readonly string[] },
  add: Add,
): Promise<void> {
  const { folder, databaseUrl, database } = brevis
  const account = await readAccountId(database.pool)
  const { rows } = await database.pool.query<{ email: string }>(
    'select email from accounts where id = $1',
    [account],
  )
  const email = rows[0]?.email ?? ''
  const run = async (...args: string[]) => {
    const env = createChildEnvironment({ DATA_DIR: folder, DATABASE_URL: databaseUrl })
    const child = spawn(COMMAND, args, { env, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
    let errors = ''
    child.stderr.on('data', (chunk: Buffer) => {
      errors += chunk
    })
    const [code] = await once(child, 'close')
    if (code !== 0) throw new Error(`${args[0]} ended with ${code}: ${errors}`)
  }

  for (const [name, ...args] of [
    ['export', 'export', 'FILE', '--account', email],
    ['backup', 'backup', 'FILE'],
  ] as const) {
    const file = join(folder, `bench-${name}`)
    const ms = await time(() => run(...args.map((arg) => (arg === 'FILE' ? file : arg))))
    add(name, links / (ms / 1000), 'links/s')
    add(`${name}, size`, (await stat(file)).size / links, 'bytes/link')
    await rm(file)
  }

  // The only admin cannot be deleted while there are other accounts.
  await database.pool.query(
    `with other as (
       insert into users (email, admin) values ('admin@example.com', true) returning id)
     insert into members (account_id, user_id, role)
     select (select max(id) from accounts), id, 'owner' from other`,
  )
  const probe = probeCreation(brevis, otherKeys[0] ?? '')
  const deleteMs = await time(() => run('account', 'delete', email, '--yes'))
  const waits = await probe.stop()
  add('deleting the account', links / (deleteMs / 1000), 'links/s', { atLeast: 5000 })
  add('creating a link meanwhile, p99', percentile(waits, 99), 'ms')
  add('creating a link meanwhile, longest', Math.max(...waits), 'ms')
}

/** Creates links one after the other until stopped. Returns the duration of each in milliseconds. */
function probeCreation({ url }: Brevis, key: string) {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const body = JSON.stringify({ url: 'https://example.com/probe' })
  const durations: number[] = []
  let isDone = false
  const probing = (async () => {
    while (!isDone) {
      const started = performance.now()
      const reply = await fetch(`${url}/api/url/add`, { method: 'POST', headers, body })
      await reply.arrayBuffer()
      if (reply.status !== 200) throw new Error(`a creation returned ${reply.status}`)
      durations.push(performance.now() - started)
      await sleep(PROBE_PAUSE_MS)
    }
  })()
  return {
    stop: async () => {
      isDone = true
      await probing
      return durations
    },
  }
}
