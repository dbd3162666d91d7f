import { expect } from 'vitest'
import { recordAnswer } from '../../src/resources/overlay-answers.ts'
import { overlays } from '../../src/resources/overlays.ts'
import { signIn } from '../support/console.ts'
import { addMember } from '../support/members.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('setup', { scope: 'file' }, async ({ app, make, owner }) => ({
  person: await signIn(app, owner.account.email),
  otherPerson: await signIn(app, (await make.owner()).account.email),
}))

test("shows a poll's votes, including votes for removed options", async ({
  app,
  make,
  owner,
  setup: { person },
}) => {
  const { id } = await make.overlay(owner, { type: 'poll', options: ['Tea', '<b>Coffee</b>'] })
  const path = `/console/overlays/${id}`
  expect((await person.open(path)).body).toContain('No responses yet.')
  const link = await make.link(owner, { type: `overlay-${id}` })
  for (const choice of ['Tea', 'Tea', '<b>Coffee</b>']) {
    await recordAnswer(app.services.db, id, link.id, { choice })
  }
  await overlays.update({ ...app.services, accountId: owner.account.id }, id, {
    options: ['Tea', 'Water'],
  })
  const { body, statusCode } = await person.open(path)
  expect([statusCode, body]).toEqual([200, expect.stringContaining('3 votes')])
  const votes = [...body.matchAll(/<bdi>([^<]*)<\/bdi><\/span><\/th><td class="number">(\d+)</g)]
  expect(votes.map(([, label, count]) => [label, count])).toEqual([
    ['Tea', '2'],
    ['Water', '0'],
    ['&lt;b&gt;Coffee&lt;/b&gt;', '1'],
  ])
})

test('shows and exports responses as plain text, only to the owner', async ({
  app,
  make,
  owner,
  setup: { person, otherPerson },
}) => {
  const { id } = await make.overlay(owner, { type: 'contact' })
  const link = await make.link(owner, { type: `overlay-${id}` })
  const answer = { email: 'a@example.com', name: '=cmd()', message: '<script>alert(1)</script>' }
  await recordAnswer(app.services.db, id, link.id, answer)
  const path = `/console/overlays/${id}`
  const page = await person.open(path)
  expect(page.body).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(page.body).not.toContain('<script>alert')
  const file = await person.open(`${path}/answers.csv`)
  expect([file.statusCode, file.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8'])
  expect(file.body).toMatch(/^\ufeffid,link,date,/)
  expect(file.body).toContain("'=cmd()")
  for (const url of [path, `${path}/answers.csv`]) {
    expect((await otherPerson.open(url)).statusCode).toBe(404)
    expect((await person.open(url.replace(String(id), '999999'))).statusCode).toBe(404)
  }
})

test('are shown to viewers, who cannot download them', async ({ app, make, owner }) => {
  const { id } = await make.overlay(owner, { type: 'contact' })
  const viewer = await signIn(app, (await addMember(app, owner, 'viewer')).user.email)
  const page = await viewer.open(`/console/overlays/${id}`)
  expect([page.statusCode, page.body.includes('answers.csv')]).toEqual([200, false])
  expect((await viewer.open(`/console/overlays/${id}/answers.csv`)).statusCode).toBe(403)
})
