import { expect } from 'vitest'
import { addDomain } from '../../src/domains/domain.service.ts'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest({ env: { DOMAIN_CHECK: 'on' } }).extend(
  'given',
  { scope: 'file' },
  async ({ app, make, owner }) => ({
    person: await signIn(app, owner.account.email),
    stranger: await signIn(app, (await make.owner()).account.email),
  }),
)

test("shows a domain's DNS record and checks whether it points here", async ({
  app,
  owner,
  given: { person, stranger },
}) => {
  const { id } = await addDomain(app.services, app.services.db, owner.account.id, {
    host: 'go.invalid',
    origin: 'https://go.invalid',
    pointsHere: true,
  })
  const path = `/console/domains/${id}`
  const before = await person.open(path)
  expect([before.statusCode, before.body]).toEqual([200, expect.stringContaining('CNAME')])
  expect(before.body).toContain('<code>brev.test</code>')
  expect(before.body).toContain('go.invalid isn’t pointing here yet')
  const asked = await person.send(`${path}/check`)
  expect([asked.statusCode, asked.body]).toEqual([
    200,
    expect.stringContaining('go.invalid isn’t pointing here yet'),
  ])
  expect((await stranger.open(path)).statusCode).toBe(404)
  expect((await stranger.send(`${path}/check`)).statusCode).toBe(404)
})
