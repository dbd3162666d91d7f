import { expect, onTestFinished } from 'vitest'
import { createContext } from '../../src/context.ts'
import { getLink } from '../../src/links/link.service.ts'
import { listLinks } from '../../src/links/link-list.service.ts'
import { changeLinkStatus } from '../../src/operator/moderation.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { listTagNames } from '../../src/tags/tag.service.ts'
import { idsOn, linkListTest } from '../support/link-list.ts'

const test = linkListTest()

test('tags, untags, disables and enables several links with one form', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const links = [await make.link(owner), await make.link(owner, { tags: ['old'] })]
  const otherLink = await make.link(owner)
  const ids = links.map(({ id }) => id)
  const getStored = (id: number) => getLink(scopeOf(app.services, owner.account.id), id)
  const listTags = async () =>
    Promise.all([...ids, otherLink.id].map(async (id) => (await getStored(id)).tags))
  const reply = await person.change('tag', ids, { tag: ' New ', back: '/console/links?q=brev' })
  expect([reply.statusCode, reply.headers.location]).toEqual([
    303,
    '/console/links?q=brev&done=tagged.2',
  ])
  expect(await listTags()).toEqual([['New'], ['old', 'New'], []])
  expect((await person.open('/console/links?done=tagged.2')).body).toContain(
    'Tag added to 2 links.',
  )
  await person.change('untag', ids, { tag: 'NEW' })
  expect(await listTags()).toEqual([[], ['old'], []])
  await person.change('disable', ids)
  expect((await request({ url: `/${links[0]?.alias}` })).statusCode).toBe(410)
  expect((await getStored(otherLink.id)).status).toBe('active')
  const all = [...ids, otherLink.id]
  const again = await person.change('disable', all)
  expect(again.headers.location, 'only the active link').toBe('/console/links?done=disabled.1')
  const enabled = await person.change('enable', all)
  expect(enabled.headers.location).toBe('/console/links?done=enabled.3')
  expect((await request({ url: `/${links[0]?.alias}` })).statusCode).toBe(302)
})

test('deletes several links after a confirmation that lists and counts them', async ({
  app,
  make,
  owner,
  person,
  request,
}) => {
  const links = [await make.link(owner, { tags: ['x'] }), await make.link(owner)]
  const otherLink = await make.link(owner)
  const ids = links.map(({ id }) => id)
  await request({ url: `/${links[0]?.alias}` })
  await app.importClicks()
  const returnPath = '/console/links?sort=clicks'
  const confirmation = await person.change('delete', ids, { back: returnPath })
  expect(confirmation.statusCode).toBe(200)
  expect(confirmation.body).toContain('<h1>Delete 2 links?</h1>')
  for (const { alias } of links)
    expect(confirmation.body).toContain(`<bdi>brev.test/${alias}</bdi>`)
  expect(confirmation.body).not.toContain(`brev.test/${otherLink.alias}`)
  expect(confirmation.body).toContain(`href="${returnPath}"`)
  expect(idsOn(await person.open('/console/links'))).toHaveLength(3)
  const reply = await person.change('delete', ids, { back: returnPath, sure: 'yes' })
  expect(reply.headers.location).toBe('/console/links?sort=clicks&done=deleted.2')
  expect(idsOn(await person.open('/console/links'))).toEqual([otherLink.id])
  expect((await request({ url: `/${links[0]?.alias}` })).statusCode).toBe(404)
  expect(await listTagNames({ db: app.services.db, accountId: owner.account.id }, 10)).toEqual([])
  expect((await person.change('delete', ids)).statusCode).toBe(404)
})

test('shows an error for an invalid selection, tag or action and changes nothing', async ({
  make,
  owner,
  person,
}) => {
  const tags = Array.from({ length: 20 }, (_, index) => `tag ${index}`)
  const { id } = await make.link(owner, { tags })
  for (const [action, ids, tag, status, text] of [
    ['disable', [], '', 422, 'Select at least one link.'],
    ['tag', [id], ' ', 422, 'Enter a tag.'],
    ['tag', [id], 'x'.repeat(51), 422, 'Must be at most 50 characters long.'],
    ['tag', [id], 'a\nb', 422, 'Must not contain control characters.'],
    ['tag', [id], 'one more', 422, 'Would be more than 20 on one of these links.'],
    [
      'disable',
      Array.from({ length: 101 }, (_, index) => index + 1),
      '',
      422,
      'Select up to 100 links at a time.',
    ],
    ['disable', ['x'], '', 400, 'could not be understood'],
    ['destroy', [id], '', 400, 'could not be understood'],
    ['', [id], '', 400, 'could not be understood'],
  ] as const) {
    const reply = await person.change(action, ids, { tag })
    expect([action, reply.statusCode]).toEqual([action, status])
    expect(reply.body).toContain(text)
  }
  expect((await person.open('/console/links')).body).toContain('Active')
})

test('disables, enables and deletes a single link', async ({ app, make, owner, person }) => {
  const { id } = await make.link(owner)
  const path = `/console/links/${id}`
  const getStatus = async () => (await getLink(scopeOf(app.services, owner.account.id), id)).status
  const reply = await person.send(`${path}/disable`)
  expect([reply.statusCode, reply.headers.location, await getStatus()]).toEqual([
    303,
    path,
    'disabled',
  ])
  await person.send(`${path}/enable`)
  expect(await getStatus()).toBe('active')
  const deletion = await person.send(`${path}/delete`)
  expect(deletion.headers.location).toBe('/console/links?done=deleted.1')
  expect((await person.send(`${path}/delete`)).statusCode).toBe(404)
})

test('skips links disabled by an admin when enabling', async ({ app, make, owner, person }) => {
  const blocked = await make.link(owner)
  const enabledLink = await make.link(owner)
  const commandContext = await createContext(app.services.config, 'command')
  onTestFinished(commandContext.close)
  const change = { status: 'disabled', reason: 'Leads to <b>malware</b>' } as const
  await changeLinkStatus(commandContext, commandContext.db, 'root', blocked.shortUrl, change)
  await person.change('disable', [enabledLink.id])
  const reply = await person.change('enable', [blocked.id, enabledLink.id])
  expect(reply.headers.location).toBe('/console/links?done=enabled.1.1')
  const { body } = await person.open('/console/links?done=enabled.1.1')
  expect(body).toContain('1 link enabled. 1 link was skipped because an admin disabled it.')
  expect(body).toContain('Disabled by an admin')
  expect(body).toContain('Leads to &lt;b&gt;malware&lt;/b&gt;')
  const singleReply = await person.send(`/console/links/${blocked.id}/enable`)
  expect(singleReply.statusCode).toBe(403)
  expect(singleReply.body).toContain('Only an admin can enable it.')
})

test('rejects forms without a valid CSRF token', async ({ app, make, owner, person, request }) => {
  const { id } = await make.link(owner)
  for (const [url, payload] of [
    ['/console/links/change', `action=disable&id=${id}`],
    [`/console/links/${id}/disable`, ''],
    [`/console/links/${id}/delete`, 'csrf=wrong'],
  ]) {
    const headers = { cookie: person.cookie, 'content-type': 'application/x-www-form-urlencoded' }
    const reply = await request({ method: 'POST', url: url ?? '', headers, payload: payload ?? '' })
    expect(reply.statusCode).toBe(403)
  }
  expect((await getLink(scopeOf(app.services, owner.account.id), id)).status).toBe('active')
})

test('changes all results of a search and no other links', async ({ app, make, owner, person }) => {
  const matching = []
  for (let index = 0; index < 130; index += 1) {
    matching.push(await make.link(owner, { alias: `all-${owner.account.id}-${index}` }))
  }
  const otherLink = await make.link(owner, { tags: ['kept'] })
  const returnPath = `/console/links?q=all-${owner.account.id}-`
  const { body } = await person.open(returnPath)
  expect(body).toContain('Apply to all 130 results')
  const tagged = await person.change('tag', [], { tag: 'New', back: returnPath, all: 'yes' })
  expect(tagged.headers.location).toMatch(/done=tagged\.130$/)
  expect(await listTagNames({ db: app.services.db, accountId: owner.account.id }, 10)).toEqual([
    'kept',
    'New',
  ])

  const confirmation = await person.change('delete', [], { back: returnPath, all: 'yes' })
  expect(confirmation.body).toContain('Delete 130 links?')
  // A link that matches later is not deleted without another confirmation.
  await make.link(owner, { alias: `all-${owner.account.id}-late` })
  const secondConfirmation = await person.change('delete', [], {
    back: returnPath,
    all: 'yes',
    sure: 'yes',
    count: '130',
  })
  expect([
    secondConfirmation.statusCode,
    secondConfirmation.body.includes('Delete 131 links?'),
  ]).toEqual([200, true])
  const deletion = await person.change('delete', [], {
    back: returnPath,
    all: 'yes',
    sure: 'yes',
    count: '131',
  })
  expect(deletion.headers.location).toMatch(/done=deleted\.131$/)
  const { entries } = await listLinks(scopeOf(app.services, owner.account.id), {
    order: 'date',
    limit: 200,
    offset: 0,
  })
  expect(entries.map(({ id }) => id)).toEqual([otherLink.id])
  const rejected = await person.change('tag', [], { tag: 'x', back: returnPath, all: 'yes' })
  expect([rejected.statusCode, rejected.body.includes('Select at least one link.')]).toEqual([
    422,
    true,
  ])
})
