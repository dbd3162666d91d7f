import { expect } from 'vitest'
import { addDomain } from '../../src/domains/domain.service.ts'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

/** A host name that resolves to a reserved IP address, so that no request is sent. */
const KNOWN = 'parked.example'
const requests: string[] = []

const test = appTest({
  env: { DOMAIN_CHECK: 'on' },
  lookup: async (name) => {
    requests.push(name)
    if (name !== KNOWN) throw new Error('no address')
    return ['192.0.2.1']
  },
}).extend('setup', { scope: 'file' }, async ({ app, make, owner }) => ({
  person: await signIn(app, owner.account.email),
  stranger: await signIn(app, (await make.owner()).account.email),
}))

test('shows the last result of DNS checks and repeats them on request', async ({
  app,
  owner,
  setup: { person, stranger: otherOwner },
}) => {
  const { db } = app.services
  const add = (host: string) =>
    addDomain(app.services, db, owner.account.id, {
      host,
      origin: `https://${host}`,
      pointsHere: true,
    })
  const unresolved = await add('go.invalid')
  const parked = await add(KNOWN)
  const path = `/console/domains/${unresolved.id}`
  const before = await person.open(path)
  expect([before.statusCode, before.body]).toEqual([200, expect.stringContaining('CNAME')])
  expect(before.body).toContain('<code>brev.test</code>')
  // Domains are checked when they are added.
  expect(before.body).toContain('go.invalid points here.')
  expect(before.body).not.toContain('data-check')
  expect((await person.open(`${path}/state`)).json().state).toBe('here')
  expect(requests).toEqual([])

  const longAgo = new Date(app.clock().getTime() - 3_600_000)
  await db.updateTable('domains').set({ dns_checked_at: longAgo }).execute()
  const list = await person.open('/console/domains')
  expect(list.body).toContain(`data-check="${path}/state"`)
  expect(list.body).toContain('Points here')
  // Pages do not wait for checks.
  expect(requests).toEqual([])

  const checked = await person.open(`${path}/state`)
  expect(checked.headers['cache-control']).toContain('no-store')
  expect(checked.json()).toMatchObject({ state: 'missing', text: 'Not found in DNS' })
  const other = await person.open(`/console/domains/${parked.id}/state`)
  expect(other.json()).toMatchObject({ state: 'elsewhere', text: 'Does not point here' })
  const lookups = requests.length
  expect(new Set(requests)).toEqual(new Set(['go.invalid', KNOWN]))
  // The result is stored for the list and the next request.
  const after = await person.open('/console/domains')
  expect(after.body).toContain('Not found in DNS')
  expect(after.body).toMatch(/Checked [A-Z][a-z]{2} \d/)
  expect(after.body).not.toContain('data-check')
  await person.open(`${path}/state`)
  expect(requests.length).toBe(lookups)

  const checkedByButton = await person.send(`/console/domains/${parked.id}/check`)
  expect([checkedByButton.statusCode, checkedByButton.body]).toEqual([
    200,
    expect.stringContaining(`${KNOWN} isn’t pointing here yet`),
  ])
  expect(requests.length).toBeGreaterThan(lookups)

  const earlier = requests.length
  expect((await otherOwner.open(path)).statusCode).toBe(404)
  expect((await otherOwner.open(`${path}/state`)).statusCode).toBe(404)
  expect((await otherOwner.send(`${path}/check`)).statusCode).toBe(404)
  expect(requests.length).toBe(earlier)
})
