import { expect, onTestFinished } from 'vitest'
import { PASSWORD } from '../support/console.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { type Reply, send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import { openMailServer } from '../support/mail-server.ts'
import { until } from '../support/processes.ts'

const WORKERS = 2
const TRIES_PER_MINUTE = 10
const RESETS_PER_HOUR = 3
const FLOOD = 60
const LINK_PASSWORD = 'open sesame'

/** A `test` with an instance of two workers, which must count attempts together. */
const test = deploymentTest()
  .extend('openServer', { scope: 'file' }, () => openMailServer)
  .extend('server', { scope: 'file' }, async ({ openServer }, { onCleanup }) => {
    const server = await openServer()
    onCleanup(server.close)
    return server
  })
  .extend('instance', { scope: 'file' }, async ({ deployment, server }) => {
    const instance = await deployment.createInstance({
      env: {
        WORKERS: String(WORKERS),
        SMTP_URL: server.url,
        MAIL_FROM: 'brevis@brev.test',
        LOG_LEVEL: 'error',
      },
    })
    await instance.start()
    return instance
  })

let count = 0

/** Returns an IP address that no other request has. */
function newAddress(): string {
  count += 1
  return `203.0.${Math.floor(count / 250)}.${1 + (count % 250)}`
}

/** Submits a form over a new connection, which reaches either worker. */
async function submit(
  { origin }: Instance,
  path: string,
  fields: Record<string, string>,
  address = newAddress(),
): Promise<Reply> {
  const headers = { 'x-forwarded-for': address, connection: 'close' }
  const page = await send(`${origin}${path}`, { headers })
  const csrf = /name="csrf" value="([^"]+)"/.exec(page.body)?.[1] ?? ''
  const cookie = [page.headers['set-cookie'] ?? []].flat().map((each) => each.split(';', 1)[0])
  return send(`${origin}${path}`, {
    method: 'POST',
    headers: { ...headers, cookie: cookie.join('; '), origin },
    form: { csrf, ...fields },
  })
}

async function flood(attempt: () => Promise<Reply>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>()
  const client = async () => {
    for (let round = 0; round < FLOOD / 6; round += 1) {
      const { status } = await attempt()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
  }
  await Promise.all(Array.from({ length: 6 }, client))
  return statuses
}

test('two workers together allow ten sign-in attempts a minute per user', async ({
  deployment,
  instance,
}) => {
  const { email } = (await deployment.make.owner()).account
  const statuses = await flood(() =>
    submit(instance, '/console/sign-in', { email, password: 'a wrong guess' }),
  )
  expect(statuses.get(422)).toBe(TRIES_PER_MINUTE)
  expect(statuses.get(429)).toBe(FLOOD - TRIES_PER_MINUTE)
  const right = await submit(instance, '/console/sign-in', { email, password: PASSWORD })
  expect(right.status).toBe(429)
})

test('two workers together allow ten sign-in attempts a minute per address', async ({
  instance,
}) => {
  const address = newAddress()
  const statuses = await flood(() => {
    count += 1
    const email = `nobody${count}@example.com`
    return submit(instance, '/console/sign-in', { email, password: 'a wrong guess' }, address)
  })
  expect(statuses.get(422)).toBe(TRIES_PER_MINUTE)
})

test('two workers together send three password resets an hour per user', async ({
  deployment,
  instance,
  server,
}) => {
  const { email } = (await deployment.make.owner()).account
  const statuses = await flood(() => submit(instance, '/console/forgot-password', { email }))
  // The reply does not tell whether mail was sent.
  expect([...statuses.keys()]).toEqual([303])
  await until('the queue is empty', async () => {
    const { rows } = await deployment.database.pool.query('select from brevis_jobs.jobs')
    return rows.length === 0
  })
  const sent = server.received.filter(({ to }) => JSON.stringify(to).includes(email))
  expect(sent).toHaveLength(RESETS_PER_HOUR)
})

test('two workers together limit guesses at the password of a link', async ({
  deployment,
  instance,
}) => {
  const { make, owner } = deployment
  const { alias } = await make.link(owner, { password: LINK_PASSWORD })
  const address = newAddress()
  const guess = (password: string) =>
    send(`${instance.origin}/${alias}`, {
      method: 'POST',
      headers: { 'x-forwarded-for': address, connection: 'close' },
      form: { password },
    })
  const statuses = await flood(() => guess('a wrong guess'))
  expect(statuses.get(429)).toBe(FLOOD - TRIES_PER_MINUTE)
  expect((await guess(LINK_PASSWORD)).status).toBe(429)
  onTestFinished(async () => expect(instance.stderrTexts).toEqual([]))
})
