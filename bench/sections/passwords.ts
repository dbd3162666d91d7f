import { Pool } from 'undici'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { makeLinks } from '../make.ts'
import { OTHER_CORE, pin, SERVER_CORE } from '../processes.ts'
import { visitScript } from '../visits.ts'
import { load } from '../wrk.ts'

const GUESSES = 500
const CONNECTIONS = 16
/** Milliseconds between visits on one connection: a busy server below its limit. */
const DELAY_MS = 10

/**
 * Measures redirect latency for other visitors during bursts of 500 wrong passwords from different
 * addresses, also with synchronous journal writes. Passwords are hashed on the core of the HTTP process.
 */
export async function passwords(bench: Bench): Promise<Figure[]> {
  const background = await measure(bench, 'background')
  return [...background, ...(await measure(bench, 'fsync'))]
}

async function measure({ log, quick }: Bench, sync: 'background' | 'fsync'): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [5, 5]
  await using brevis = await startBrevis({ CLICK_SYNC: sync })
  const aliases = await makeLinks(brevis.database.pool, { prefix: 'bench', count: 1000 })
  const protectedAliases = await makeProtected(brevis)
  brevis.useTwoCores()
  // The guesses are sent by this process, which must not use the server's core.
  pin([process.pid], OTHER_CORE)
  using _ = { [Symbol.dispose]: () => pin([process.pid], `${SERVER_CORE},${OTHER_CORE}`) }
  const script = visitScript(aliases, { delay: DELAY_MS })
  const visits = () => load({ url: brevis.url, script, seconds, connections: CONNECTIONS })
  await visits()
  await guess(brevis, protectedAliases)

  const quiet: Load[] = []
  const guessed: Load[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const before = await visits()
    const [under, statuses] = await Promise.all([
      visits(),
      guessFor(brevis, protectedAliases, seconds),
    ])
    quiet.push(before)
    guessed.push(under)
    const latencies = `p50 ${before.p50} ms quiet, ${under.p50} ms during password guessing; p99 ${before.p99} and ${under.p99} ms`
    log(`${sync}: ${latencies}; ${describe(statuses)}`)
  }
  return (['p50', 'p99'] as const).flatMap((percentile) => {
    const [before, under] = [quiet, guessed].map((all) =>
      median(all.map((one) => one[percentile])),
    ) as [number, number]
    const atMost = sync === 'fsync' ? 3 : 2
    return [
      { name: `${percentile} of redirects, ${sync}, quiet`, value: before, unit: 'ms' },
      {
        name: `${percentile} of redirects, ${sync}, during password guessing`,
        value: under,
        unit: 'ms',
      },
      {
        name: `${percentile} during password guessing, ${sync}`,
        value: under / before,
        unit: 'of quiet',
        ...(percentile === 'p99' || sync === 'fsync' ? { goal: { atMost } } : {}),
      },
    ]
  })
}

/** Creates many links with one password, because guesses at a single link are soon delayed. */
async function makeProtected({ url, key, database: { pool } }: Brevis): Promise<string[]> {
  const response = await fetch(`${url}/api/url/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', custom: 'protected', password: 'correct' }),
  })
  if (response.status !== 200) throw new Error(`no protected link: ${await response.text()}`)
  const aliases = await makeLinks(pool, { prefix: 'guarded', count: 1000 })
  await pool.query(
    `update links set password_hash = (select password_hash from links where alias = 'protected')
     where alias = any($1)`,
    [aliases],
  )
  return aliases
}

type Load = { p50: number; p99: number }

let burst = 0

type Statuses = Map<number, number>

/** Sends bursts of guesses while the visits last. */
async function guessFor(
  brevis: Brevis,
  aliases: readonly string[],
  seconds: number,
): Promise<Statuses> {
  const until = performance.now() + (seconds - 1) * 1000
  const all: Statuses = new Map()
  while (performance.now() < until) {
    for (const [status, count] of await guess(brevis, aliases)) {
      all.set(status, (all.get(status) ?? 0) + count)
    }
  }
  return all
}

async function guess({ url }: Brevis, aliases: readonly string[]): Promise<Statuses> {
  burst += 1
  const pool = new Pool(url, { connections: GUESSES })
  const statuses: Statuses = new Map()
  const one = async (_: unknown, index: number) => {
    const { statusCode, body } = await pool.request({
      // A different link each time, so that no address guesses often at one link.
      path: `/${aliases[(index + burst * 61) % aliases.length]}`,
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `198.51.${index >> 8}.${index & 255}`,
      },
      body: 'password=wrong',
    })
    await body.dump()
    statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1)
  }
  await Promise.all(Array.from({ length: GUESSES }, one))
  await pool.close()
  if (statuses.has(302) || statuses.has(303)) throw new Error('a wrong password was let through')
  return statuses
}

function describe(statuses: Statuses): string {
  return [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
}
