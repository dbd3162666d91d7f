import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { MAIN_FILE, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { OTHER_CORE, SERVER_CORE } from '../processes.ts'
import {
  findFreePort,
  type ServerProcess,
  startProcess,
  waitForResponse,
} from '../server-process.ts'

const ALIAS = 'first'

/**
 * Measures how long `node src/main.ts` takes until it is ready with an existing external database,
 * and until it redirects with an existing embedded database. As with `npm start`, compiled code is
 * cached between starts. The first start is a warm-up.
 */
export async function start({ log, quick }: BenchOptions): Promise<Figure[]> {
  const runs = quick ? 1 : 5
  const folder = await mkdtemp(join(tmpdir(), 'brevis-start-'))
  try {
    const env = { NODE_COMPILE_CACHE: join(folder, 'compiled') }
    await using brevis = await startBrevis()
    const readySeconds = await measureMedianStart('ready', '/health/ready', {
      ...env,
      DATABASE_URL: brevis.databaseUrl,
    })
    await startOnce(folder, { env, path: '/health/ready', afterwards: createLink })
    const redirectSeconds = await measureMedianStart('redirecting', `/${ALIAS}`, env)
    return [
      { name: 'start to ready', value: readySeconds, unit: 's', goal: { atMost: 2 } },
      {
        name: 'start with the embedded database to the first redirect',
        value: redirectSeconds,
        unit: 's',
        goal: { atMost: 1.4 },
      },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }

  async function measureMedianStart(
    label: string,
    path: string,
    env: Record<string, string>,
  ): Promise<number> {
    const durations: number[] = []
    for (let run = 0; run <= runs; run += 1) {
      const seconds = await startOnce(folder, { env, path })
      log(`${label} after ${seconds.toFixed(2)} s`)
      if (run > 0) durations.push(seconds)
    }
    return median(durations)
  }
}

type StartOptions = {
  env: Record<string, string>
  /** The path to request until it responds. */
  path: string
  /** Runs before the server is stopped. */
  afterwards?: (origin: string, server: ServerProcess) => Promise<void>
}

/** Starts the service, waits until `path` responds, and stops it. Returns the seconds to the response. */
async function startOnce(folder: string, { env, path, afterwards }: StartOptions): Promise<number> {
  const port = await findFreePort()
  const origin = `http://127.0.0.1:${port}`
  const started = performance.now()
  const server = startProcess(MAIN_FILE, {
    cores: [SERVER_CORE, OTHER_CORE],
    cwd: folder,
    env: {
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: '',
      DATA_DIR: join(folder, 'data'),
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  try {
    await waitForResponse(server, origin + path)
    const seconds = (performance.now() - started) / 1000
    await afterwards?.(origin, server)
    return seconds
  } finally {
    await server.stop()
  }
}

/** Creates a link with the key that the first start prints shortly after it is ready. */
async function createLink(origin: string, { output }: ServerProcess): Promise<void> {
  for (let attempt = 0; attempt < 250 && !output().includes('brv_'); attempt += 1) await sleep(20)
  const [key = ''] = /brv_\w+/.exec(output()) ?? []
  const reply = await fetch(`${origin}/api/url/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', custom: ALIAS }),
  })
  if (reply.status !== 200) throw new Error(`the link was not created: ${await reply.text()}`)
}
