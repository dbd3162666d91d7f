import { Kysely, PostgresDialect } from 'kysely'
import type { ConnectionPool } from '../../src/db/connection-pool.ts'
import type { DB } from '../../src/db/tables.generated.ts'
import { listLinks } from '../../src/links/lists/link-list.queries.ts'
import type { LinkOrder } from '../../src/links/lists/link-sort.queries.ts'
import { type Brevis, startBrevis } from '../brevis.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import { createLinks, readAccountId } from '../make.ts'

const ORDERS = ['date', 'click'] as const
const LIMITS = [15, 1000]
const WARM_UP_REQUESTS = 100

/** Measures the first, middle and last list page of an account with a million links. */
export async function lists({ log, quick }: BenchOptions): Promise<Figure[]> {
  const [links, runs] = quick ? [100_000, 5] : [1_000_000, 25]
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  const clicks = '(random() ^ 8 * 100000)::int'
  await createLinks(pool, { prefix: 'bench', count: links, clicks }, log)
  brevis.pinToSeparateCores()

  // Warm-up: a new server has not yet planned its statements or compiled its code.
  await measureMedianMs(brevis, () => '/api/urls?limit=15', WARM_UP_REQUESTS)
  const figures: Figure[] = []
  for (const order of ORDERS) {
    for (const limit of LIMITS) {
      const last = Math.ceil(links / limit)
      const pages = { first: 1, middle: Math.ceil(last / 2), last }
      const path = (page: number) => `/api/urls?order=${order}&limit=${limit}&page=${page}`
      const durationByPage: Record<string, number> = {}
      for (const [name, page] of Object.entries(pages)) {
        durationByPage[name] = await measureMedianMs(brevis, () => path(page), runs)
        const label = `order=${order}, limit=${limit}, ${name} page`
        log(`${label}: ${durationByPage[name].toFixed(1)} ms`)
        const isFirst = order === 'date' && limit === 15 && page === 1
        const goal = { atMost: isFirst ? 5 : 300 }
        figures.push({ name: label, value: durationByPage[name], unit: 'ms', goal })
      }
      figures.push({
        name: `order=${order}, limit=${limit}, last page`,
        value: (durationByPage.last ?? 0) / (durationByPage.first ?? 0),
        unit: 'of the first',
        goal: { atMost: 2 },
      })
    }
  }
  const shortMs = await measureMedianMs(
    brevis,
    (run) => `/api/urls?short=${brevis.url}/bench-${1 + ((run * 7919) % links)}`,
    runs,
  )
  figures.push({ name: 'short=', value: shortMs, unit: 'ms', goal: { atMost: 30 } })
  for (const order of ORDERS) figures.push(...(await checkPlans(brevis, order, links)))
  return figures
}

/** Returns the median duration of requests in milliseconds. */
async function measureMedianMs(
  { url, key }: Brevis,
  path: (run: number) => string,
  runs: number,
): Promise<number> {
  const durations: number[] = []
  for (let run = -2; run < runs; run += 1) {
    const started = performance.now()
    const response = await fetch(url + path(Math.max(0, run)), {
      headers: { authorization: `Bearer ${key}` },
    })
    const body = await response.text()
    const milliseconds = performance.now() - started
    if (response.status !== 200 || !body.includes('"shorturl"')) {
      throw new Error(`${path(run)} returned ${response.status} ${body.slice(0, 200)}`)
    }
    // The first two requests are a warm-up.
    if (run >= 0) durations.push(milliseconds)
  }
  return median(durations)
}

type Plan = {
  'Node Type': string
  'Relation Name'?: string
  'Actual Rows': number
  'Actual Loops': number
  Plans?: Plan[]
}

/**
 * Returns how many rows the largest step of a query plan reads, for the first and the last page.
 * Throws if a step scans a large table.
 */
async function checkPlans(
  { database, url }: Brevis,
  order: LinkOrder,
  links: number,
): Promise<Figure[]> {
  const owner = await readAccountId(database.pool)
  const figures: Figure[] = []
  for (const [name, offset] of [
    ['first', 0],
    ['last', links - 15],
  ] as const) {
    const plans = await explainStatements(database.pool, (db) =>
      listLinks({ db, accountId: owner }, url, { order, limit: 15, offset }),
    )
    const steps = plans.flatMap(flattenPlan)
    const scan = steps.find(
      (step) => step['Node Type'] === 'Seq Scan' && step['Relation Name'] !== 'domains',
    )
    if (scan && scan['Actual Rows'] > 1000)
      throw new Error(`${name} page scans ${scan['Relation Name']}`)
    figures.push({
      name: `order=${order}, ${name} page: rows read by the largest step`,
      value: Math.max(...steps.map((step) => step['Actual Rows'] * step['Actual Loops'])),
      unit: 'rows',
      goal: { atMost: 1000 },
    })
  }
  return figures
}

/** Returns the plans of all statements that `query` runs. */
async function explainStatements(
  pool: ConnectionPool,
  query: (db: Kysely<DB>) => Promise<unknown>,
): Promise<Plan[]> {
  const statements: { sql: string; parameters: readonly unknown[] }[] = []
  const db = new Kysely<DB>({
    dialect: new PostgresDialect({ pool }),
    log({ query }) {
      statements.push(query)
    },
  })
  await query(db)
  const plans: Plan[] = []
  for (const { sql, parameters } of statements) {
    const { rows } = await pool.query<{ 'QUERY PLAN': { Plan: Plan }[] }>(
      `explain (analyze, format json) ${sql}`,
      [...parameters],
    )
    for (const { Plan } of rows[0]?.['QUERY PLAN'] ?? []) plans.push(Plan)
  }
  return plans
}

function flattenPlan(plan: Plan): Plan[] {
  return [plan, ...(plan.Plans ?? []).flatMap(flattenPlan)]
}
