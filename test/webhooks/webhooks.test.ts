import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import { setLinkStatuses } from '../../src/links/bulk-links.service.ts'
import { createLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { importLinks } from '../../src/transfer/transfer.service.ts'
import { verify } from '../support/webhooks.ts'
import { subscribe, webhooksTest } from '../support/webhooks-test.ts'

const test = webhooksTest()

describe('a webhook message', () => {
  test('is sent and signed when a link is created, changed or deleted', async ({
    app,
    receiver,
    worker,
  }) => {
    const events = ['link.created', 'link.updated', 'link.deleted']
    const { api, path, secret } = await subscribe(app, receiver.url, events)
    const entry = await api('POST', '/api/url/add', {
      url: 'https://example.com/a',
      custom: 'sent',
    })
    const { id } = entry.json()
    await api('PUT', `/api/url/${id}/update`, { url: 'https://example.com/b' })
    await api('DELETE', `/api/url/${id}/delete`)
    await worker.drain()
    const messages = receiver.take(path)
    const verified = messages.map((message) => verify(app, secret, message))
    const link = { id, alias: 'sent', shorturl: 'http://brev.test/sent', status: 'active' }
    expect(verified).toMatchObject([
      { type: 'link.created', data: { ...link, longurl: 'https://example.com/a' } },
      { type: 'link.updated', data: { ...link, longurl: 'https://example.com/b' } },
      { type: 'link.deleted', data: { ...link, longurl: 'https://example.com/b' } },
    ])
    expect(verified).toMatchObject(verified.map(() => ({ timestamp: app.clock().toISOString() })))
    expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
    for (const message of messages) {
      expect(message.headers['content-type']).toBe('application/json')
      const otherSecret = `whsec_${Buffer.alloc(32).toString('base64')}`
      expect(() => verify(app, otherSecret, message)).toThrow('No matching signature')
    }
  })

  test('is not sent to other accounts or without a subscription', async ({
    app,
    receiver,
    worker,
  }) => {
    const own = await subscribe(app, receiver.url, ['link.deleted'])
    const other = await subscribe(app, receiver.url, ['link.created'])
    await own.api('POST', '/api/url/add', { url: 'https://example.com/' })
    await worker.drain()
    expect([receiver.take(own.path), receiver.take(other.path)]).toEqual([[], []])
  })

  test('is sent for each link of a bulk change', async ({ app, receiver, worker }) => {
    const { owner, path, secret } = await subscribe(app, receiver.url, ['link.updated'])
    const ids = []
    for (let count = 0; count < 3; count += 1) {
      const input = { url: 'https://example.com/' }
      ids.push((await createLink(scopeOf(app.services, owner.account.id), input)).id)
    }
    await setLinkStatuses(scopeOf(app.services, owner.account.id), ids, 'disabled')
    await worker.drain()
    const verified = receiver.take(path).map((message) => verify(app, secret, message))
    expect(verified).toMatchObject(ids.map((id) => ({ data: { id, status: 'disabled' } })))
  })

  test('combines clicks, so that at most one per second is sent', async ({
    app,
    receiver,
    worker,
  }) => {
    const { owner, path, secret } = await subscribe(app, receiver.url, ['link.clicked'])
    const input = { url: 'https://example.com/' }
    const { id, alias } = await createLink(scopeOf(app.services, owner.account.id), input)
    const visit = () => app.request({ url: `/${alias}`, headers: { 'user-agent': 'Mozilla/5.0' } })
    const verified = () => receiver.take(path).map((message) => verify(app, secret, message))
    await visit()
    await visit()
    await app.importClicks()
    await worker.drain()
    const links = [{ id, shorturl: `http://brev.test/${alias}`, clicks: 2 }]
    expect(verified()).toMatchObject([{ type: 'link.clicked', data: { clicks: 2, links } }])
    await visit()
    await app.importClicks()
    await visit()
    await app.importClicks()
    await worker.drain()
    expect(verified()).toEqual([])
    app.clock.advance(1)
    await worker.drain()
    expect(verified()).toMatchObject([{ data: { clicks: 2 } }])
  })

  test('is sent once for an expired link', async ({ app, receiver, worker }) => {
    const { owner, path, secret } = await subscribe(app, receiver.url, ['link.ended'])
    const expiresAt = new Date(app.clock().getTime() + 3_600_000)
    const input = { url: 'https://example.com/', expiresAt: formatTimestamp(expiresAt) }
    const { id } = await createLink(scopeOf(app.services, owner.account.id), input)
    await worker.drain()
    expect(receiver.take(path)).toEqual([])
    app.clock.advance(3610)
    await worker.drain()
    app.clock.advance(10)
    await worker.drain()
    const verified = receiver.take(path).map((message) => verify(app, secret, message))
    expect(verified).toMatchObject([{ type: 'link.ended', data: { id } }])
  })

  test('is sent once when a link reaches its click limit', async ({ app, receiver, worker }) => {
    const { owner, path, secret } = await subscribe(app, receiver.url, ['link.ended'])
    const expiresAt = formatTimestamp(new Date(app.clock().getTime() + 3_600_000))
    const { id, alias } = await app.make.link(owner, { maxClicks: 2, expiresAt })
    await app.request({ url: `/${alias}` })
    await worker.drain()
    expect(receiver.take(path)).toEqual([])
    for (let visit = 0; visit < 3; visit += 1) await app.request({ url: `/${alias}` })
    await worker.drain()
    const verified = receiver.take(path).map((message) => verify(app, secret, message))
    expect(verified).toMatchObject([{ type: 'link.ended', data: { id } }])
    app.clock.advance(3610)
    await worker.drain()
    expect(receiver.take(path)).toEqual([])
  })
})

test('a webhook message is sent for a finished import, but not for its links or a dry run', async ({
  app,
  receiver,
  worker,
}) => {
  const events = ['import.finished', 'link.created']
  const { owner, path, secret } = await subscribe(app, receiver.url, events)
  const file = join(app.services.config.dataDir, 'links.csv')
  await writeFile(file, 'alias,url\nmoved,https://example.com/\n')
  for (const dryRun of [true, false]) {
    const request = {
      source: 'csv',
      from: file,
      name: 'links.csv',
      onTaken: 'skip',
      dryRun,
    } as const
    for await (const _ of importLinks(scopeOf(app.services, owner.account.id), request));
  }
  await worker.drain()
  const verified = receiver.take(path).map((message) => verify(app, secret, message))
  const data = { name: 'links.csv', source: 'csv', state: 'done', counts: { created: 1 } }
  expect(verified).toMatchObject([{ type: 'import.finished', data }])
})
