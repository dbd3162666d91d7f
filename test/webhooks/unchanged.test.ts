import { expect } from 'vitest'
import {
  setArchived,
  setLinkStatuses,
  tagLinks,
  untagLinks,
} from '../../src/links/bulk-links.service.ts'
import { getLinkWithParts, setLinkStatus } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { verify } from '../support/webhooks.ts'
import { subscribe, webhooksTest } from '../support/webhooks-test.ts'

const test = webhooksTest()

test('an update publishes an event only if it changes the link', async ({
  app,
  receiver,
  worker,
}) => {
  const { owner, api, path, secret } = await subscribe(app, receiver.url, ['link.updated'])
  const domain = await app.make.domain(owner, { domain: 'https://same.test' })
  const pixels = [(await app.make.pixel(owner)).id, (await app.make.pixel(owner)).id]
  const fields = {
    url: 'https://example.com/',
    custom: 'same',
    type: 'frame',
    domain: domain.origin,
    expiry: '2099-01-02 03:04:05',
    geotarget: [{ location: 'Germany', link: 'https://example.de/' }],
    devicetarget: [{ device: 'iphone', link: 'https://example.com/ios' }],
    languagetarget: [{ language: 'fr', link: 'https://example.fr/' }],
    parameters: [{ name: 'utm_source', value: 'brevis' }],
    metatitle: 'Title',
    metadescription: 'Text',
    metaimage: 'https://example.com/i.png',
    pixels,
    tags: ['Spring', 'Café'],
  }
  const { id } = (await api('POST', '/api/url/add', fields)).json()
  const update = async (change: object) => {
    const reply = await api('PUT', `/api/url/${id}/update`, { ...fields, ...change })
    expect(reply.json()).toMatchObject({ error: 0 })
    await worker.drain()
    return receiver.take(path).map((message) => verify(app, secret, message))
  }
  expect(await update({})).toEqual([])
  expect(await update({ url: 'https://EXAMPLE.com', tags: ['SPRING', 'cafe\u0301'] })).toEqual([])
  const changes = [
    { url: 'https://example.com/b' },
    { metatitle: 'Another' },
    { parameters: [] },
    { expiry: '2099-01-02 03:04:06' },
    { pixels: pixels.toReversed() },
    { tags: ['Café', 'Spring'] },
    { tags: [] },
    { domain: '' },
  ]
  for (const change of changes) {
    const messages = await update(change)
    expect(messages, JSON.stringify(change)).toMatchObject([{ type: 'link.updated', data: { id } }])
    expect(await update({})).toHaveLength(1)
  }
  const stored = await getLinkWithParts(scopeOf(app.services, owner.account.id), id)
  expect(stored).toMatchObject({ url: fields.url, tags: fields.tags, pixels, domain: 'same.test' })
})

test('a bulk change is published only for links that change', async ({ app, receiver, worker }) => {
  const { owner, path, secret } = await subscribe(app, receiver.url, ['link.updated'])
  const { id: accountId } = owner.account
  const taggedLink = await app.make.link(owner, { tags: ['old'] })
  const untaggedLink = await app.make.link(owner)
  const ids = [untaggedLink.id, taggedLink.id]

  const readPublishedIds = async (work: Promise<unknown>) => {
    await work
    await worker.drain()
    const messages = receiver.take(path).map((message) => verify(app, secret, message))
    return messages.map((message) => (message as { data: { id: number } }).data.id)
  }
  expect(
    await readPublishedIds(
      setLinkStatus(scopeOf(app.services, accountId), taggedLink.id, 'disabled'),
    ),
  ).toEqual([taggedLink.id])
  expect(
    await readPublishedIds(
      setLinkStatus(scopeOf(app.services, accountId), taggedLink.id, 'disabled'),
    ),
  ).toEqual([])
  expect(
    await readPublishedIds(setLinkStatuses(scopeOf(app.services, accountId), ids, 'disabled')),
  ).toEqual([untaggedLink.id])
  expect(
    await readPublishedIds(setLinkStatuses(scopeOf(app.services, accountId), ids, 'disabled')),
  ).toEqual([])
  expect(await readPublishedIds(tagLinks(scopeOf(app.services, accountId), ids, ['old']))).toEqual([
    untaggedLink.id,
  ])
  expect(
    await readPublishedIds(tagLinks(scopeOf(app.services, accountId), ids, ['new', 'old'])),
  ).toEqual([taggedLink.id, untaggedLink.id])
  expect(await readPublishedIds(tagLinks(scopeOf(app.services, accountId), ids, ['OLD']))).toEqual(
    [],
  )
  expect(
    await readPublishedIds(untagLinks(scopeOf(app.services, accountId), [taggedLink.id], ['new'])),
  ).toEqual([taggedLink.id])
  expect(
    await readPublishedIds(untagLinks(scopeOf(app.services, accountId), ids, ['new'])),
  ).toEqual([untaggedLink.id])
  expect(
    await readPublishedIds(untagLinks(scopeOf(app.services, accountId), ids, ['new'])),
  ).toEqual([])
  const archive = (archivedIds: number[]) =>
    readPublishedIds(setArchived(scopeOf(app.services, accountId), archivedIds, true))
  expect(await archive([taggedLink.id])).toEqual([taggedLink.id])
  expect(await archive(ids)).toEqual([untaggedLink.id])
})
