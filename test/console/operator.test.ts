import { describe, expect } from 'vitest'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('given', { scope: 'file' }, async ({ app, make, owner }) => {
  const domain = await make.domain(owner, { domain: 'https://brand.example' })
  const [admin, ordinary] = [owner, await make.owner({ username: 'ordinary' })]
  return {
    domain,
    admin: await signIn(app, admin.account.email),
    ordinary: await signIn(app, ordinary.account.email),
    logLines: () => app.services.operatorLog.list({}, { limit: 1000 }),
  }
})

const PAGES = ['', '/accounts', '/log', '/log.csv']

describe('the operator’s pages', () => {
  test.for(PAGES)('%s is not there for whoever is no admin', async (path, { app, given }) => {
    const url = `/console/operator${path}`
    expect([200, 303]).toContain((await given.admin.open(url)).statusCode)
    const refused = await given.ordinary.open(url)
    const missing = await given.ordinary.open('/console/nothing-of-the-kind')
    expect([refused.statusCode, missing.statusCode]).toEqual([404, 404])
    const [one, other] = [refused, missing].map(({ body }) => body.replaceAll(/nonce="[^"]*"/g, ''))
    expect(one).toBe(other)
    const stranger = await app.request({ url })
    expect(stranger.headers.location).toMatch(/^\/console\/sign-in\?next=/)
    const branded = await app.request({
      url,
      headers: { host: 'brand.example', cookie: given.admin.cookie },
    })
    expect(branded.statusCode).toBe(404)
  })

  test('are in the menu of an admin alone', async ({ given }) => {
    expect((await given.admin.open('/console')).body).toContain('href="/console/operator"')
    expect((await given.ordinary.open('/console')).body).not.toContain('/console/operator')
  })
})
