import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MAIN, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { OTHER_CORE, SERVER_CORE } from '../processes.ts'
import { freePort, startProcess, untilAnswering } from '../server-process.ts'

/**
 * From `node src/main.ts` until it says that it is ready, on a database that is there already. As with
 * `npm start`, compiled code is kept from one start to the next; the first one does not count.
 */
export async function start({ log, quick }: Bench): Promise<Figure[]> {
  const times = quick ? 1 : 5
  await using brevis = await startBrevis()
  const taken: number[] = []
  const cache = await mkdtemp(join(tmpdir(), 'brevis-compiled-'))
  for (let time = 0; time <= times; time += 1) {
    const seconds = await startOnce(brevis.databaseUrl, cache)
    log(`ready after ${seconds.toFixed(2)} s`)
    if (time > 0) taken.push(seconds)
  }
  await rm(cache, { recursive: true })
  return [{ name: 'start to ready', value: median(taken), unit: 's', goal: { atMost: 2 } }]
}

async function startOnce(databaseUrl: string, cache: string): Promise<number> {
  const folder = await mkdtemp(join(tmpdir(), 'brevis-start-'))
  const port = await freePort()
  const started = performance.now()
  const server = startProcess(MAIN, {
    cores: [SERVER_CORE, OTHER_CORE],
    cwd: folder,
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      LOG_LEVEL: 'warn',
      NODE_COMPILE_CACHE: cache,
    },
  })
  try {
    await untilAnswering(server, `http://127.0.0.1:${port}/health/ready`)
    return (performance.now() - started) / 1000
  } finally {
    await server.stop()
    await rm(folder, { recursive: true, force: true })
  }
}
