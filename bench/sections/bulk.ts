import { type Brevis, startBrevis } from '../brevis.ts'
import type { BenchOptions, Figure } from '../figures.ts'
import { createLinks, createSession, readAccountId } from '../make.ts'

/** Measures bulk actions on all links of an account, each in a single request. */
export async function bulk({ log, quick }: BenchOptions): Promise<Figure[]> {
  const count = quick ? 5000 : 90_000
  await using brevis = await startBrevis()
  const { pool } = brevis.database
  await createLinks(pool, { prefix: 'bulk', count }, log)
  const headers = { cookie: await createSession(pool, await readAccountId(pool)) }
  brevis.useAllCores()
  const page = await (await fetch(`${brevis.url}/console/links`, { headers })).text()
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page) ?? []

  const figures: Figure[] = []
  // The fields of the form that confirms an action on all links. `sure` is the confirmation.
  const all = { all: 'yes', sure: 'yes', count: String(count), back: '/console/links' }
  for (const [name, fields] of [
    ['expire', { ...all, action: 'expire', expires: '2999-12-31' }],
    ['disable', { ...all, action: 'disable' }],
    ['delete', { ...all, action: 'delete' }],
  ] as const) {
    figures.push(...(await measure(`${name} ${count} links`, '/console/links/change', fields)))
  }
  const { rows } = await pool.query<{ id: number }>('select max(id) as id from undo_actions')
  const undo = { id: String(rows[0]?.id), back: '/console/links' }
  figures.push(...(await measure(`restore ${count} links`, '/console/links/undo', undo)))
  return figures

  async function measure(name: string, path: string, fields: Readonly<Record<string, string>>) {
    const before = brevis.readCpu()
    const started = performance.now()
    await post(brevis, path, { csrf, ...fields }, headers)
    const seconds = (performance.now() - started) / 1000
    const after = brevis.readCpu()
    log(`${name}: ${seconds.toFixed(1)} s`)
    return [
      { name, value: seconds, unit: 's', goal: { atMost: 5 } },
      { name: `${name}: CPU time, Node.js`, value: after.worker - before.worker, unit: 's' },
      {
        name: `${name}: CPU time, PostgreSQL`,
        value: after.database - before.database,
        unit: 's',
      },
    ]
  }
}

async function post(
  { url }: Brevis,
  path: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const body = new URLSearchParams(fields)
  const reply = await fetch(url + path, { method: 'POST', redirect: 'manual', headers, body })
  if (reply.status !== 303) throw new Error(`${path} returned ${reply.status}`)
  await reply.arrayBuffer()
}
