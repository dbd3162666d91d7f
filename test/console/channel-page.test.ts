import { expect } from 'vitest'
import {
  addItemToChannel,
  getChannelLinkIds,
  listChannelItems,
} from '../../src/resources/channel-items.ts'
import { expectPrivate, groupTest as test, visitEach } from '../support/group-page.ts'
import { readFigures } from '../support/link-page.ts'
import { signInMember } from '../support/members.ts'

test('links, bio pages and QR codes can be added to a channel and removed', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.channel(owner, {
    name: '<b>Shelf</b>',
    color: '#0b6b5a',
    starred: true,
    description: 'For <i>all</i>',
  })
  const path = `/console/channels/${id}`
  const empty = await person.open(path)
  expect(empty.statusCode).toBe(200)
  expect(empty.body).toContain('No items yet.')
  expect(empty.body).toContain('fill="#0b6b5a"')
  expect(empty.body).not.toMatch(/<b>Shelf|<i>all/)
  expect(empty.body).not.toMatch(/<select[^>]* name="item"/)

  const link = await make.link(owner, { alias: 'shelved', metaTitle: 'Our <u>shop</u>' })
  const bio = await make.bio(owner, { title: 'Anna <b>' })
  const code = await make.qr(owner, { name: 'Poster' })
  const listItems = async () => {
    const page = { limit: 100, offset: 0 }
    const { entries } = await listChannelItems(
      { ...app.services, accountId: owner.account.id },
      id,
      page,
    )
    return entries.map((item) => `${item.type}-${item.id}`)
  }
  for (const [suffix, fields] of [
    ['links', { id: String(link.id) }],
    ['items', { item: `bio-${bio.id}` }],
    ['items', { item: `qr-${code.id}` }],
    ['items', { item: `qr-${code.id}` }],
  ] as const) {
    const reply = await person.send(`${path}/${suffix}`, fields)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, `${path}#items`])
  }
  expect(await listItems()).toEqual([`qr-${code.id}`, `bio-${bio.id}`, `links-${link.id}`])
  const { body } = await person.open(path)
  for (const text of [
    'Our &lt;u&gt;shop',
    'Anna &lt;b&gt;',
    'Poster',
    '<bdi>brev.test/shelved</bdi>',
    `<bdi>brev.test/b/${bio.alias}</bdi>`,
    `href="/console/links/${link.id}"`,
  ])
    expect(body).toContain(text)
  expect(body.match(/<bdi>brev\.test\/shelved/g)).toHaveLength(1)
  const viewer = await signInMember(app, owner, 'viewer')
  expect((await viewer.open(path)).body).toMatch(/<span class="title cut"><bdi>Anna &lt;b&gt;/)
  expect(body).toContain(`href="/console/bios/${bio.id}/edit"`)
  expect(body).toContain(`href="/console/codes/${code.id}"`)

  for (const ref of [`qr/${code.id}`, `qr/${code.id}`, `bio/${bio.id}`, `links/${link.id}`]) {
    const removal = await person.send(`${path}/items/${ref}/remove?page=2`)
    expect([removal.statusCode, removal.headers.location]).toEqual([303, `${path}?page=2#items`])
  }
  expect(await listItems()).toEqual([])
  expect((await person.open(`/console/links/${link.id}`)).statusCode).toBe(200)
})

test('adding an item of another account shows an error next to the field', async ({
  app,
  make,
  otherOwner,
  owner,
  person,
}) => {
  const { id } = await make.channel(owner)
  const path = `/console/channels/${id}`
  await make.bio(owner)
  const bio = await make.bio(otherOwner)
  const code = await make.qr(otherOwner)
  const link = await make.link(otherOwner, { alias: 'of-another' })
  for (const item of [`bio-${bio.id}`, `qr-${code.id}`, `links-${link.id}`, 'qr-0', '', 'x-1']) {
    const reply = await person.send(`${path}/items`, { item })
    expect([item, reply.statusCode]).toEqual([item, 422])
    expect(reply.body).toContain('Select an item.')
    expect(reply.body).toContain('aria-describedby="item-error"')
  }
  expect((await person.send(`${path}/links`, { id: String(link.id) })).statusCode).toBe(404)
  expect(await getChannelLinkIds({ ...app.services, accountId: owner.account.id }, id)).toEqual([])
})

test('statistics include the clicks of links and QR codes', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.channel(owner)
  const path = `/console/channels/${id}`
  const link = await make.link(owner)
  const code = await make.qr(owner)
  await addItemToChannel({ ...app.services, accountId: owner.account.id }, id, {
    type: 'links',
    id: link.id,
  })
  await addItemToChannel({ ...app.services, accountId: owner.account.id }, id, {
    type: 'qr',
    id: code.id,
  })
  const { entries } = await listChannelItems({ ...app.services, accountId: owner.account.id }, id, {
    limit: 10,
    offset: 0,
  })
  const scannedUrl = entries.find(({ type }) => type === 'qr')?.link ?? ''
  await visitEach(app, [`/${link.alias}`, new URL(scannedUrl).pathname])
  const { body } = await person.open(path)
  expect(readFigures(body)).toEqual(['2', '2', '0', '100%'])
  expect((await person.open(`${path}/systems.csv`)).body).toContain(',2\n')
  expect((await person.open(`${path}/systems`)).body).toContain(`href="${path}">← <bdi>`)
})

test('returns 404 for a channel of another account and leaves it unchanged', async ({
  app,
  make,
  owner,
  person,
  otherPerson,
}) => {
  const { id } = await make.channel(owner)
  const link = await make.link(owner)
  await addItemToChannel({ ...app.services, accountId: owner.account.id }, id, {
    type: 'links',
    id: link.id,
  })
  await expectPrivate(
    app,
    { person, otherPerson },
    {
      path: `/console/channels/${id}`,
      posts: {
        '/links': { link: link.alias },
        '/items': { item: `links-${link.id}` },
        [`/items/links/${link.id}/remove`]: {},
        '/items/none/1/remove': {},
      },
    },
  )
  expect(await getChannelLinkIds({ ...app.services, accountId: owner.account.id }, id)).toEqual([
    link.id,
  ])
})
