import { describe, expect } from 'vitest'
import { getRobotNames } from '../../src/identity/robot-names.service.ts'
import { signedIn } from '../support/console.ts'
import { until } from '../support/processes.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('visit', { scope: 'file' }, ({ request }) => {
  return (alias: string, userAgent: string) =>
    request({ url: `/${alias}`, headers: { 'user-agent': userAgent } })
})

const ACME = 'acme-sync/3.1 (linux)'

describe("an account's own names of robots", () => {
  test('do not count and use no click, on its links only, as soon as they are saved', async ({
    app,
    make,
    request,
    visit,
  }) => {
    const [owner, other] = [await make.owner(), await make.owner()]
    const link = await make.link(owner)
    const limited = await make.link(owner, { maxClicks: 1000 })
    const isRobot = async () => (await visit(limited.alias, ACME)).headers.location === undefined
    const foreign = await make.link(other)
    const person = await signedIn(app, owner)
    for (const { alias } of [link, limited, foreign]) await visit(alias, 'Firefox')
    const saved = await person.send('/console/robots', { names: '\n  Acme-Sync \n\n' })
    expect([saved.statusCode, saved.headers.location]).toEqual([303, '/console/robots'])
    expect(await getRobotNames({ db: app.services.db, accountId: owner.account.id })).toEqual([
      'Acme-Sync',
    ])
    await until('the names apply', isRobot)
    for (const { alias } of [link, foreign]) expect((await visit(alias, ACME)).statusCode).toBe(302)
    const second = await make.link(owner, { maxClicks: 1 })
    expect((await visit(second.alias, ACME)).headers.location).toBeUndefined()
    expect((await visit(second.alias, 'Firefox')).statusCode).toBe(302)
    expect(await app.clicksOf(owner, link.id)).toBe(1)
    expect(await app.clicksOf(other, foreign.id)).toBe(2)
    const reply = await request({ url: `/api/url/${link.id}/stats`, headers: owner.headers })
    expect(reply.json().data.notCounted).toMatchObject({
      visits: 1,
      crawlers: 1,
      names: [{ kind: 'crawler', name: 'Acme-Sync', visits: 1 }],
    })
    await person.send('/console/robots', { names: '' })
    await until('the names no longer apply', async () => !(await isRobot()))
    await visit(link.alias, ACME)
    expect(await app.clicksOf(owner, link.id)).toBe(2)
  })

  test.for<[string, string]>([
    ['ab', 'Must have 3 to 100 characters: ab'],
    ['x'.repeat(101), 'Must have 3 to 100 characters'],
    ['Chrome', 'Must not match a browser: Chrome'],
    ['Käse', 'Must be printable ASCII characters: Käse'],
    [
      Array.from({ length: 51 }, (_, index) => `name-${index}`).join('\n'),
      'Must have at most 50 entries',
    ],
  ])('are rejected if invalid: %s', async ([names, message], { app, make }) => {
    const owner = await make.owner()
    const person = await signedIn(app, owner)
    const reply = await person.send('/console/robots', { names })
    expect([reply.statusCode, reply.body]).toEqual([422, expect.stringContaining(message)])
    expect(await getRobotNames({ db: app.services.db, accountId: owner.account.id })).toEqual([])
  })
})

test('names in no list of the last 30 days are shown to the account and to admins', async ({
  app,
  make,
  visit,
}) => {
  const [owner, other] = [await make.owner(), await make.owner()]
  const { alias } = await make.link(owner)
  const foreign = await make.link(other)
  await visit(alias, 'old-program/1')
  await app.importClicks()
  app.clock.advance(31 * 86_400)
  for (const agent of [ACME, ACME, 'Mozilla/5.0 (compatible; Nameless Reader 2)']) {
    await visit(alias, agent)
  }
  await visit(foreign.alias, 'foreign-program/1')
  // Browsers, tools and robots are in lists.
  for (const agent of ['Mozilla/5.0 (X11; rv:128.0) Firefox/128.0', 'curl/8.5.0', 'Googlebot/2.1'])
    await visit(alias, agent)
  await app.importClicks()
  const person = await signedIn(app, owner)
  const { body } = await person.open('/console/robots')
  const rows = Array.from(
    body.matchAll(/<bdi>([^<]+)<\/bdi><\/th>\s*<td class="number"[^>]*>(\d+)</g),
    ([, name, clicks]) => `${name} ${clicks}`,
  )
  expect(rows).toEqual(['acme-sync 2', 'Nameless 1'])
  await person.send('/console/robots', { names: 'acme-sync' })
  expect((await person.open('/console/robots')).body).not.toContain('<bdi>acme-sync')
  expect((await person.open('/console/operator/robots')).statusCode).toBe(404)
  await app.services.db
    .updateTable('users')
    .set({ admin: true })
    .where('email', '=', owner.account.email)
    .execute()
  const admin = await signedIn(app, owner)
  const { body: all } = await admin.open('/console/operator/robots')
  for (const name of ['acme-sync', 'Nameless', 'foreign-program']) {
    expect(all).toContain(`<bdi>${name}</bdi>`)
  }
  expect(all).not.toContain('old-program')
})
