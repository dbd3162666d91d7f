import { expect, onTestFinished } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { send } from '../support/http.ts'
import { until } from '../support/processes.ts'

const test = deploymentTest()

test('while PostgreSQL is read-only, visits, lists and pages go on, readiness says so, and clicks wait', {
  timeout: 120_000,
}, async ({ database, deployment }) => {
  const { owner, services } = deployment
  const { alias, id } = await deployment.make.link(owner)
  const cookie = `brevis_session=${await createSession(scopeOf(services, owner.account.id))}`
  await database.pool.query("update sessions set last_used_at = now() - interval '2 days'")
  const instance = await deployment.createInstance({ env: { LOG_LEVEL: 'info' } })
  await instance.start()
  const get = (path: string) => send(`${instance.origin}${path}`, { headers: owner.headers })
  await setReadOnly(true)
  onTestFinished(() => setReadOnly(false))
  await until('readiness says so', async () => {
    const { status, body } = await get('/health/ready')
    return status === 503 && JSON.parse(body).reason === 'the database is read-only'
  })
  expect((await get('/health/redirects')).status).toBe(200)
  expect((await get(`/${alias}`)).status).toBe(302)
  for (const path of ['/api/urls', `/api/url/${id}`, '/api/account', '/api/urls?q=target']) {
    const { status, headers } = await get(path)
    expect([path, status]).toEqual([path, 200])
    expect(headers['x-ratelimit-remaining']).toMatch(/^99\d+$/)
  }
  const wrongKey = await send(`${instance.origin}/api/urls`, {
    headers: { authorization: `Bearer ${owner.key.slice(0, -1)}x` },
  })
  expect(wrongKey.status).toBe(401)
  const page = await send(`${instance.origin}/console/links`, { headers: { cookie } })
  expect(page.status).toBe(200)
  const add = { method: 'POST', headers: owner.headers, json: { url: 'https://example.com/' } }
  for (let attempt = 0; attempt < 10; attempt += 1) {
    expect((await send(`${instance.origin}/api/url/add`, add)).status).toBe(503)
  }
  const removal = { method: 'DELETE', headers: owner.headers }
  expect((await send(`${instance.origin}/api/url/${id}/delete`, removal)).status).toBe(503)
  expect(linesOf('The service is temporarily unavailable')).toMatchObject([
    {
      route: '/api/url/add',
      status: 503,
      reason: expect.stringContaining('read-only'),
      unlogged: 0,
    },
  ])
  // A worker that starts now can still serve.
  const again = await deployment.createInstance()
  await again.launch()
  await until('another instance lists links', async () => {
    const url = `${again.origin}/api/urls`
    const reply = await send(url, { headers: owner.headers }).catch(() => undefined)
    return reply?.status === 200
  })
  await until('the import has failed', () => linesOf('clicks cannot be imported').length > 0)
  await setReadOnly(false)
  await instance.ready()
  await until('the click is counted', async () => {
    const { rows } = await database.pool.query(
      'select from click_totals where link_id = $1 and clicks = 1',
      [id],
    )
    return rows.length === 1
  })
  await until('the recovery is logged', () => linesOf('clicks are being imported again').length > 0)
  const counts = new Map<string, number>()
  for (const { msg, level } of instance.log) {
    if (level >= 40) counts.set(msg, (counts.get(msg) ?? 0) + 1)
  }
  // Each of the two changes also terminates connections, which is logged as well.
  const repeated = [...counts].filter(
    ([message, count]) => count > 2 && message !== 'an idle database connection broke',
  )
  expect(repeated).toEqual([])

  function linesOf(text: string) {
    return instance.log.filter(({ msg }) => msg.startsWith(text))
  }

  async function setReadOnly(isReadOnly: boolean): Promise<void> {
    const name = new URL(database.url).pathname.slice(1)
    await database.pool.query('set default_transaction_read_only = off')
    await database.pool.query(
      isReadOnly
        ? `alter database ${name} set default_transaction_read_only = on`
        : `alter database ${name} reset default_transaction_read_only`,
    )
    await database.pool.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name like 'brevis %'
         and application_name <> 'brevis test'`,
    )
  }
})
