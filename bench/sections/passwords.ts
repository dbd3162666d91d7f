import { Pool } from 'undici'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type Bench, type Figure, median } from '../figures.ts'
import { makeLinks } from '../make.ts'
import { OTHER_CORE, pin, SERVER_CORE } from '../processes.ts'
import { visitScript } from '../visits.ts'
import { load } from '../wrk.ts'

const GUESSES = 500
const CONNECTIONS = 16
/** Milliseconds between visits on one connection: a busy server, but not one at its limit. */
const DELAY = 10

/** How other visitors fare while 500 wrong passwords, each from an address of its own, come at once. */
export async function passwords({ log, quick }: Bench): Promise<Figure[]> {
  const [rounds, seconds] = quick ? [1, 3] : [5, 5]
  await using brevis = await startBrevis()
  const aliases = await makeLinks(brevis.database.pool, { prefix: 'bench', count: 1000 })
  await makeProtected(brevis)
  brevis.useTwoCores()
  // The guesses are made in this process, which must not take the server's core.
  pin([process.pid], OTHER_CORE)
  using _ = { [Symbol.dispose]: () => pin([process.pid], `${SERVER_CORE},${OTHER_CORE}`) }
  const script = visitScript(aliases, { delay: DELAY })
  const visits = () => load({ url: brevis.url, script, seconds, connections: CONNECTIONS })
  await visits()
  await guess(brevis)

  const quiet: number[] = []
  const guessed: number[] = []
  for (let round = 1; round <= rounds; round += 1) {
    quiet.push((await visits()).p99)
    const [under, statuses] = await Promise.all([visits(), guessFor(brevis, seconds)])
    guessed.push(under.p99)
    log(`p99 ${quiet.at(-1)} ms quiet, ${under.p99} ms while guessed at; ${describe(statuses)}`)
  }
  return [
    { name: 'p99 of redirects, quiet', value: median(quiet), unit: 'ms' },
    { name: 'p99 of redirects, while guessed at', value: median(guessed), unit: 'ms' },
    {
      name: 'p99 while guessed at',
      value: median(guessed) / median(quiet),
      unit: 'of quiet',
      goal: { atMost: 2 },
    },
  ]
}

async function makeProtected({ url, key }: Brevis): Promise<void> {
  const response = await fetch(`${url}/api/url/add`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/', custom: 'protected', password: 'correct' }),
  })
  if (response.status !== 200) throw new Error(`no protected link: ${await response.text()}`)
}

type Statuses = Map<number, number>

/** One burst of guesses after the other for as long as the visits last. */
async function guessFor(brevis: Brevis, seconds: number): Promise<Statuses> {
  const until = performance.now() + (seconds - 1) * 1000
  const all: Statuses = new Map()
  while (performance.now() < until) {
    for (const [status, count] of await guess(brevis)) {
      all.set(status, (all.get(status) ?? 0) + count)
    }
  }
  return all
}

async function guess({ url }: Brevis): Promise<Statuses> {
  const pool = new Pool(url, { connections: GUESSES })
  const statuses: Statuses = new Map()
  const one = async (_: unknown, index: number) => {
    const { statusCode, body } = await pool.request({
      path: '/protected',
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
