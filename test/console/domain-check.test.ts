import { expect } from 'vitest'
import { addDomain } from '../../src/domains/domain.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

/** The only host name that resolves, to a reserved IP address, so that no request is sent. */
const RESOLVABLE = 'parked.example'
/** The host names that were looked up. */
const lookups: string[] = []

const test = appTest({
  env: { DOMAIN_CHECK: 'on' },
  lookup: async (name) => {
    lookups.push(name)
    if (name !== RESOLVABLE) throw new Error('no address')
    return ['192.0.2.1']
  },
}).extend('setup', { scope: 'file' }, async ({ app, make, owner }) => ({
  person: await signIn(app, owner.account.email),
  otherPerson: await signIn(app, (await make.owner()).account.email),
}))

test('shows the last result of DNS checks and repeats them on request', async ({
  app,
  owner,
  setup: { person, otherPerson },
}) => {
  const { db } = app.services
  const add = (host: string) =>
    addDomain(scopeOf(app.services, owner.account.id), {
      host,
      origin: `https://${host}`,
      pointsHere: true,
    })
  const unresolved = await add('go.invalid')
  const parked = await add(RESOLVABLE)
  const path = `/console/domains/${unresolved.id}`
  const before = await person.open(path)
  expect([before.statusCode, before.body]).toEqual([200, expect.stringContaining('CNAME')])
  expect(before.body).toContain('<code>brev.test</code>')
  // Domains are checked when they are added.
  expect(before.body).toContain('go.invalid points here.')
  expect(before.body).not.toContain('data-check')
  expect((await person.open(`${path}/state`)).json().state).toBe('here')
  expect(lookups).toEqual([])

  const longAgo = new Date(app.clock().getTime() - 3_600_000)
  await db.updateTable('domains').set({ dns_checked_at: longAgo }).execute()
  const list = await person.open('/console/domains')
  expect(list.body).toContain(`data-check="${path}/state"`)
  expect(list.body).toContain('Points here')
  // Pages do not wait for checks.
  expect(lookups).toEqual([])

  const checked = await person.open(`${path}/state`)
  expect(checked.headers['cache-control']).toContain('no-store')
  expect(checked.json()).toMatchObject({ state: 'missing', text: 'Not found in DNS' })
  const checkedParked = await person.open(`/console/domains/${parked.id}/state`)
  expect(checkedParked.json()).toMatchObject({ state: 'elsewhere', text: 'Doesn’t point here' })
  const lookupCount = lookups.length
  expect(new Set(lookups)).toEqual(new Set(['go.invalid', RESOLVABLE]))
  // The result is stored for the list and the next request.
  const after = await person.open('/console/domains')
  expect(after.body).toContain('Not found in DNS')
  expect(after.body).toMatch(/Checked [A-Z][a-z]{2} \d/)
  expect(after.body).not.toContain('data-check')
  await person.open(`${path}/state`)
  expect(lookups.length).toBe(lookupCount)

  const checkedByButton = await person.send(`/console/domains/${parked.id}/check`)
  expect([checkedByButton.statusCode, checkedByButton.body]).toEqual([
    200,
    expect.stringContaining(`${RESOLVABLE} doesn’t point here yet`),
  ])
  expect(lookups.length).toBeGreaterThan(lookupCount)

  const lastCount = lookups.length
  expect((await otherPerson.open(path)).statusCode).toBe(404)
  expect((await otherPerson.open(`${path}/state`)).statusCode).toBe(404)
  expect((await otherPerson.send(`${path}/check`)).statusCode).toBe(404)
  expect(lookups.length).toBe(lastCount)
})

const testWithoutChecks = appTest({ env: { DOMAIN_CHECK: 'off' } })

testWithoutChecks('without checks, no domain is said to point here', async ({ app, owner }) => {
  const domain = { host: 'go.invalid', origin: 'https://go.invalid', pointsHere: true }
  const { id } = await addDomain(scopeOf(app.services, owner.account.id), domain)
  const person = await signIn(app, owner.account.email)
  for (const path of ['/console/domains', `/console/domains/${id}`]) {
    const { body } = await person.open(path)
    expect(body).toContain('Not checked<')
    expect(body).not.toMatch(/points here|data-check|set up/i)
  }
  expect((await person.open(`/console/domains/${id}/state`)).json()).toEqual({
    state: 'unknown',
    text: 'Not checked',
    time: '',
    advice: '',
  })
})

test('says what to enter as a domain', async ({ setup: { person } }) => {
  for (const domain of ['', 'not a domain', 'shop', 'go.example.com/path']) {
    const { statusCode, body } = await person.send('/console/domains', { domain })
    expect([domain, statusCode, body]).toEqual([
      domain,
      422,
      expect.stringMatching(
        /id="domain-error"[^>]*>Enter only a domain, such as go\.example\.com\./,
      ),
    ])
  }
})
