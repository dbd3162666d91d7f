import { describe, expect, onTestFinished } from 'vitest'
import { listKeys, revokeKey } from '../../src/identity/key.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from '../support/accounts.ts'
import { startBalancer } from '../support/balancer.ts'
import { deploymentTest } from '../support/deployment-test.ts'
import { type Reply, type Request, send } from '../support/http.ts'
import type { Instance } from '../support/instance.ts'
import type { Owner } from '../support/make.ts'
import { signal, until } from '../support/processes.ts'

const LIMIT = 30
const HOST = 'brev.test'
const BASE_URL = `http://${HOST}`
/** Enough new connections to reach each of an instance's two workers. */
const CONNECTIONS = 4

/** Instances `one` and `two` share a database. `expectVisit` and `expectStatus` check replies of `two`. */
const test = deploymentTest()
  .extend('pair', { scope: 'file' }, async ({ deployment }) => {
    const env = {
      BASE_URL,
      WORKERS: '2',
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      DRAIN_SECONDS: '2',
    }
    const one = await deployment.createInstance({ env })
    const two = await deployment.createInstance({ env })
    await Promise.all([one.start(), two.start()])
    return { one, two }
  })
  .extend('one', { scope: 'file' }, ({ pair }) => pair.one)
  .extend('two', { scope: 'file' }, ({ pair }) => pair.two)
  .extend('expectVisit', { scope: 'file' }, ({ two }) => createVisitExpectation(two))
  .extend('expectStatus', { scope: 'file' }, ({ two }) => createStatusExpectation(two))

describe('the other instance soon applies', () => {
  test('a new destination, a disabled link and a deleted link', async ({
    deployment,
    one,
    expectVisit,
  }) => {
    const owner = await deployment.make.owner()
    const { id, alias } = await deployment.make.link(owner)
    await expectVisit(`/${alias}`, { status: 302, location: 'https://example.com/target' })

    await expectAccepted(one, `/api/url/${id}/update`, {
      method: 'PUT',
      headers: owner.headers,
      json: { url: 'https://example.com/changed' },
    })
    await expectVisit(`/${alias}`, { status: 302, location: 'https://example.com/changed' })

    const shortUrl = Buffer.from(`${BASE_URL}/${alias}`).toString('base64url')
    const call = (operation: string) =>
      expectAccepted(one, `/api/v1/${owner.key}/shorturl/${operation}/short_url/${shortUrl}.json`)
    await call('disable')
    await expectVisit(`/${alias}`, { status: 410 })
    await call('enable')
    await expectVisit(`/${alias}`, { status: 302, location: 'https://example.com/changed' })

    const { headers } = owner
    await expectAccepted(one, `/api/url/${id}/delete`, { method: 'DELETE', headers })
    await expectVisit(`/${alias}`, { status: 404 })
  })

  test('a domain that is added, changed and deleted', async ({ deployment, one, expectVisit }) => {
    const { headers } = await deployment.make.owner()
    const host = 'branded.test'
    await expectVisit('/', { status: 404 }, host)

    const { body } = await expectAccepted(one, '/api/domain/add', {
      method: 'POST',
      headers,
      json: { domain: `https://${host}`, redirectroot: 'https://example.com/first' },
    })
    await expectVisit('/', { status: 302, location: 'https://example.com/first' }, host)

    const { id } = JSON.parse(body) as { id: number }
    await expectAccepted(one, `/api/domain/${id}/update`, {
      method: 'PUT',
      headers,
      json: { redirectroot: 'https://example.com/second' },
    })
    await expectVisit('/', { status: 302, location: 'https://example.com/second' }, host)

    await expectAccepted(one, `/api/domain/${id}/delete`, { method: 'DELETE', headers })
    await expectVisit('/', { status: 404 }, host)
  })
})

describe('every instance soon applies', () => {
  test('the revocation of a key, even over its limit', async ({
    deployment,
    two,
    expectStatus,
  }) => {
    const owner = await deployment.make.owner()
    await Promise.all(Array.from({ length: LIMIT }, () => call(two, owner)))
    await expectStatus(owner, 429)
    const [key] = await listKeys({ db: deployment.services.db, accountId: owner.account.id })
    await revokeKey(scopeOf(deployment.services, owner.account.id), key?.id ?? 0)
    await expectStatus(owner, 401)
  })

  test('the suspension and resumption of an account', async ({
    deployment,
    expectVisit,
    expectStatus,
  }) => {
    const owner = await deployment.make.owner()
    const { id } = owner.account
    const { alias } = await deployment.make.link(owner)
    const redirected = { status: 302, location: 'https://example.com/target' }
    await expectStatus(owner, 200)
    await expectVisit(`/${alias}`, redirected)
    await setSuspended(deployment.services, id, true)
    await expectVisit(`/${alias}`, { status: 410 })
    await expectStatus(owner, 403)
    await setSuspended(deployment.services, id, false)
    await expectVisit(`/${alias}`, redirected)
    await expectStatus(owner, 200)
  })
})

describe('two instances concurrently', () => {
  test("enforce a key's rate limit exactly", async ({ deployment, one, two }) => {
    const firstOwner = await deployment.make.owner()
    const owner = await deployment.make.owner()
    const callBoth = (caller: Owner) =>
      Array.from({ length: 2 * LIMIT }, (_, index) => call(index % 2 ? one : two, caller))
    // Opens forty database connections in advance, because that is slow.
    await Promise.all(callBoth(firstOwner))
    const replies = await Promise.all(callBoth(owner))
    const passed = replies.filter(({ status }) => status === 200)
    expect(passed).toHaveLength(LIMIT)
    expect(replies.filter(({ status }) => status === 429)).toHaveLength(LIMIT)
    const remaining = passed.map(({ headers }) => Number(headers['x-ratelimit-remaining']))
    expect(remaining.sort((a, b) => a - b)).toEqual(Array.from({ length: LIMIT }, (_, n) => n))
    expect(new Set(replies.map(({ headers }) => headers['x-ratelimit-reset'])).size).toBe(1)
  })

  test('give an alias to one of many requests', async ({ deployment, one, two }) => {
    const owners = [await deployment.make.owner(), await deployment.make.owner()]
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, index) =>
        send(`${(index % 2 ? one : two).origin}/api/url/add`, {
          method: 'POST',
          headers: owners[Math.floor(index / 2) % 2]?.headers ?? {},
          json: { url: 'https://example.com/', custom: 'contested' },
        }),
      ),
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, ...Array(49).fill(409)])
  })
})

test('no request fails during a rolling restart behind a proxy with readiness checks', async ({
  deployment,
  one,
  two,
}) => {
  for (const instance of [one, two]) await instance.startIfStopped()
  const balancer = await startBalancer([one.origin, two.origin])
  onTestFinished(balancer.close)
  await until('both are ready', () => [one, two].every(({ origin }) => balancer.isReady(origin)))
  const load = deployment.load(deployment.target(balancer), { host: HOST })
  for (const instance of [one, two]) {
    await load.waitForMore(200)
    expect(await instance.stop()).toBe(0)
    await load.waitForMore(200)
    await instance.start()
    await until('the balancer uses the instance again', () => balancer.isReady(instance.origin))
  }
  await load.waitForMore(200)
  await load.stop()
  expect([...load.outcomes.keys()]).toEqual(['302'])
  await deployment.waitUntilImported(load)
  await deployment.expectExactCounts(load, 'rolling restart', 2)
})

test('clicks in the journal of a killed instance are counted once after its restart', async ({
  deployment,
  one,
  two,
}) => {
  for (const instance of [one, two]) await instance.startIfStopped()
  const load = deployment.load(
    (identity) => deployment.target(identity % 2 ? one : two)(identity),
    {
      host: HOST,
    },
  )
  await load.waitForMore(100)
  // From now on, the first instance's clicks stay in its journal.
  signal(await one.waitForProcess('importer.ts'), 'SIGSTOP')
  await load.waitForMore(300)
  await one.kill()
  await load.waitForMore(300)
  await load.stop()
  const oddIdentities = [...load.acknowledged].filter((identity) => identity % 2)
  expect(oddIdentities.length).toBeGreaterThan(100)
  expect((await deployment.balance(load)).lost.length).toBeGreaterThan(0)
  await one.start()
  await deployment.waitUntilImported(load)
  await deployment.expectExactCounts(load, 'instance killed', 1)
})

test('two instances that share a data folder count every click once', async ({
  deployment,
  two,
}) => {
  const three = await deployment.createInstance({ dataDir: two.dataDir, env: { BASE_URL } })
  await three.start()
  const load = deployment.load(
    (identity) => deployment.target(identity % 2 ? three : two)(identity),
    {
      host: HOST,
    },
  )
  await load.waitForMore(400)
  await three.kill()
  await load.waitForMore(200)
  await three.start()
  await load.waitForMore(200)
  await load.stop()
  await deployment.waitUntilImported(load)
  expect(await three.stop()).toBe(0)
  expect(await two.stop()).toBe(0)
  await deployment.expectExactCounts(load, 'shared data folder', 1)
})

async function expectAccepted(
  instance: Instance,
  path: string,
  request: Request = {},
): Promise<Reply> {
  const reply = await send(`${instance.origin}${path}`, request)
  expect(reply, `${path} returned ${reply.status} ${reply.body}`).toMatchObject({ status: 200 })
  return reply
}

/** Returns a function that waits until every worker responds to visits as expected. */
function createVisitExpectation({ origin }: Instance) {
  return async (path: string, expected: { status: number; location?: string }, host = HOST) => {
    const method = path === '/' ? 'GET' : 'HEAD'
    const isShown = async () => {
      const reply = await send(`${origin}${path}`, { method, headers: { host } })
      return reply.status === expected.status && reply.headers.location === expected.location
    }
    await until(`${path} shows ${JSON.stringify(expected)}`, () => checkEveryWorker(isShown))
  }
}

/** Returns a function that waits until every worker responds to an owner's calls with a status. */
function createStatusExpectation(instance: Instance) {
  return async (owner: Owner, status: number) => {
    const hasStatus = async () => (await call(instance, owner)).status === status
    await until(`the status is ${status}`, () => checkEveryWorker(hasStatus))
  }
}

/** Checks a condition over enough connections to reach every worker. */
async function checkEveryWorker(check: () => Promise<boolean>): Promise<boolean> {
  for (let count = 0; count < CONNECTIONS; count += 1) if (!(await check())) return false
  return true
}

let callCount = 0

/** Sends an API call from a new IP address. */
function call(instance: Instance, { headers }: Owner): Promise<Reply> {
  callCount += 1
  const address = `198.18.${callCount >> 8}.${callCount & 255}`
  return send(`${instance.origin}/api/account`, {
    headers: { ...headers, 'x-forwarded-for': address },
  })
}
