import { expect } from 'vitest'
import { signIn } from '../support/console.ts'
import { signInMember } from '../support/members.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

/** Returns the texts of the actions in a search page. */
function listActions(body: string) {
  const [, list = ''] =
    /<div data-results><h2 class="eyebrow"><bdi id="current-link"([\s\S]*?)<\/ul>/.exec(body) ?? []
  return [...list.matchAll(/>([^<>]+)<\/(?:a|button)>/g)].map(([, text]) => text)
}

test('the search has the actions on the link whose page is open, as far as roles allow', async ({
  app,
  make,
}) => {
  const owner = await make.owner()
  const link = await make.link(owner, { alias: 'café', metaTitle: 'Menu <b>' })
  const path = `/console/links/${link.id}`
  const search = `/console/search?at=${encodeURIComponent(path)}`
  const person = await signIn(app, owner.account.email)
  const { body } = await person.open(search)
  const all = ['Copy link', 'Download QR code', 'Edit', 'Disable', 'Delete link']
  expect(listActions(body)).toEqual(all)
  expect(body).toMatch(/data-text="http:\/\/brev\.test\/caf[^"]+">Menu &lt;b&gt;<\/bdi>/)
  expect(body).toContain(`<a href="${path}/qr.png" download>`)
  expect(body).toContain(`<input type="hidden" name="at" value="${path}">`)
  for (const page of [path, `${path}/edit`, `${path}/history`]) {
    expect((await person.open(page)).body).toContain(`href="${search}"`)
  }
  expect(listActions((await person.open(`${search}&q=DIS`)).body)).toEqual(['Disable'])
  const viewer = await signInMember(app, owner, 'viewer')
  expect(listActions((await viewer.open(search)).body)).toEqual(all.slice(0, 2))
  const stranger = await signIn(app, (await make.owner()).account.email)
  for (const other of [search, '/console/search?at=/console/links/x', '/console/search']) {
    const reply = await stranger.open(other)
    expect([other, reply.statusCode, listActions(reply.body)]).toEqual([other, 200, []])
  }

  expect((await person.send(`${path}/disable`)).headers.location).toBe(path)
  expect(listActions((await person.open(search)).body)[3]).toBe('Enable')
  await make.qr(owner, { data: link.shortUrl })
  expect((await person.open(search)).body).toMatch(/<a href="\/qr\/\w+\.png" download>/)
  await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
  expect(listActions((await person.open(search)).body)).toContain('QR-Code herunterladen')
  const asked = await person.send('/console/links/change', {
    action: 'delete',
    id: String(link.id),
  })
  expect([asked.statusCode, asked.body.includes('café')]).toEqual([200, true])
})
