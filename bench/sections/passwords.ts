import { Pool } from 'undici'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { createLinks } from '../make.ts'
import { OTHER_CORE, pin, SERVER_CORE } from '../processes.ts'
import { createVisitScript } from '../visits.ts'
import { runWrk } from '../wrk.ts'

const GUESSES = 500
const CONNECTIONS = 16
/** Milliseconds between visits on one connection, so that the server is busy but not overloaded. */
const DELAY_MS = 10

/**
 * Measures the latency of redirects during bursts of 500 wrong passwords from different IP addresses,
 * with both settings of `CLICK_SYNC`. Passwords are hashed on the core of the HTTP process.
 */
export async function passwords(bench: BenchOptions): Promise<Figure[]> {
  const background = await measure(bench, 'background')
  return [...background, ...(await measure(bench, 'fsync'))]
}

async function measure(
  { log, quick }: BenchOptions,
  sync: 'background' | 'fsync',
): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [5, 5]
  await using brevis = await startBrevis({ CLICK_SYNC: sync })
  const aliases = await createLinks(brevis.database.pool, { prefix: 'bench', count: 1000 })
  const protectedAliases = await createProtectedLinks(brevis)
  brevis.pinToSeparateCores()
  // This process sends the guesses, so it must not use the server's core.
  pin([process.pid], OTHER_CORE)
  using _ = { [Symbol.dispose]: () => pin([process.pid], `${SERVER_CORE},${OTHER_CORE}`) }
  const script = createVisitScript(aliases, { delayMs: DELAY_MS })
  const visits = () => runWrk({ url: brevis.url, script, seconds, connections: CONNECTIONS })
  await visits()
  await sendGuesses(brevis, protectedAliases)

  const quietResults: Latency[] = []
  const guessingResults: Latency[] = []
  for (let round = 1; round <= rounds; round += 1) {
    const before = await visits()
    const [during, statuses] = await Promise.all([
      visits(),
      sendGuessesFor(brevis, protectedAliases, seconds),
    ])
    quietResults.push(before)
    guessingResults.push(during)
    const latencies = `p50 ${before.p50} ms quiet, ${during.p50} ms during password guessing; p99 ${before.p99} and ${during.p99} ms`
    log(`${sync}: ${latencies}; ${describeStatuses(statuses)}`)
  }
  return (['p50', 'p99'] as const).flatMap((percentile) => {
    const [before, during] = [quietResults, guessingResults].map((results) =>
      median(results.map((result) => result[percentile])),
    ) as [number, number]
    const atMost = sync === 'fsync' ? 3 : 2
    return [
      { name: `${percentile} of redirects, ${sync}, quiet`, value: before, unit: 'ms' },
      {
        name: `${percentile} of redirects, ${sync}, during password guessing`,
        value: during,
        unit: 'ms',
      },
      {
        name: `${percentile} during password guessing, ${sync}`,
        value: during / before,
        unit: 'of quiet',
        ...(percentile === 'p99' || sync === 'fsync' ? { goal: { atMost } } : {}),
      },
    ]
  })
}

/** Creates many protected links, because guesses at a single link would soon be limited. */
async function createProtectedLinks({ url, key, database: { pool } }: Brevis): Promise<string[]> {
  const response = await fetch(`${url}/api/url/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', custom: 'protected', password: 'correct' }),
  })
  if (response.status !== 200) throw new Error(`no protected link: ${await response.text()}`)
  const aliases = await createLinks(pool, { prefix: 'guarded', count: 1000 })
  await pool.query(
    `update links set password_hash = (select password_hash from links where alias = 'protected')
     where alias = any($1)`,
    [aliases],
  )
  return aliases
}

type Latency = { p50: number; p99: number }

let burstCount = 0

type Statuses = Map<number, number>

/** Sends bursts of guesses until shortly before the visits end. */
async function sendGuessesFor(
  brevis: Brevis,
  aliases: readonly string[],
  seconds: number,
): Promise<Statuses> {
  const deadline = performance.now() + (seconds - 1) * 1000
  const total: Statuses = new Map()
  while (performance.now() < deadline) {
    for (const [status, count] of await sendGuesses(brevis, aliases)) {
      total.set(status, (total.get(status) ?? 0) + count)
    }
  }
  return total
}

async function sendGuesses({ url }: Brevis, aliases: readonly string[]): Promise<Statuses> {
  burstCount += 1
  const pool = new Pool(url, { connections: GUESSES })
  const statuses: Statuses = new Map()
  const sendGuess = async (_: unknown, index: number) => {
    const { statusCode, body } = await pool.request({
      // Rotates the links, so that no IP address guesses often at the same link.
      path: `/${aliases[(index + burstCount * 61) % aliases.length]}`,
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
  await Promise.all(Array.from({ length: GUESSES }, sendGuess))
  await pool.close()
  if (statuses.has(302) || statuses.has(303)) throw new Error('a wrong password was accepted')
  return statuses
}

function describeStatuses(statuses: Statuses): string {
  return [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')
}
