import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { formatTimestamp } from '../../src/http/timestamp.ts'
import type { TestApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import type { Owner } from '../support/make.ts'
import { appTest } from '../support/test.ts'
import { startReceiver, startWorker, verify } from '../support/webhooks.ts'

const test = appTest({ env: { OUTBOUND_ALLOW: '127.0.0.1/32' } })
  .extend('receiver', { scope: 'file' }, async ({ app: _ }, { onCleanup }) => {
    const receiver = await startReceiver()
    onCleanup(receiver.close)
    return receiver
  })
  .extend('worker', { scope: 'file' }, async ({ app }, { onCleanup }) => {
    const worker = startWorker(app, 1000)
    onCleanup(worker.close)
    return worker
  })

let paths = 0

/** An account with an endpoint that was added in the console, at a path of its own. */
async function subscribe(t: TestApp, base: string, events: readonly string[], who?: Owner) {
  const owner = who ?? (await t.make.owner())
  paths += 1
  const person = await signIn(t, owner.account.email, `198.51.100.${paths}`)
  const path = `/hook-${paths}`
  const chosen = Object.fromEntries(events.map((type) => [type, 'on']))
  const url = new URL(path, base).href
  const added = await person.send('/console/webhooks', { url, ...chosen })
  expect(added.statusCode).toBe(303)
  const page = String(added.headers.location)
  const secret = /whsec_[\w+/=]+/.exec((await person.open(page)).body)?.[0] ?? ''
  const api = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
    t.request({
      method,
      url,
      headers: { authorization: `Bearer ${owner.key}` },
      ...(payload && { payload }),
    })
  return { owner, person, path, page, secret, api, id: Number(page.split('/').at(-1)) }
}

describe('a message', () => {
  test('tells of a link that was made, changed and deleted, and is signed', async ({
    app,
    receiver,
    worker,
  }) => {
    const events = ['link.created', 'link.updated', 'link.deleted']
    const { api, path, secret } = await subscribe(app, receiver.url, events)
    const made = await api('POST', '/api/url/add', { url: 'https://example.com/a', custom: 'told' })
    const { id } = made.json()
    await api('PUT', `/api/url/${id}/update`, { url: 'https://example.com/b' })
    await api('DELETE', `/api/url/${id}/delete`)
    await worker.drain()
    const messages = receiver.take(path)
    const told = messages.map((message) => verify(app, secret, message))
    const link = { id, alias: 'told', shorturl: 'http://brev.test/told', status: 'active' }
    expect(told).toMatchObject([
      { type: 'link.created', data: { ...link, longurl: 'https://example.com/a' } },
      { type: 'link.updated', data: { ...link, longurl: 'https://example.com/b' } },
      { type: 'link.deleted', data: { ...link, longurl: 'https://example.com/b' } },
    ])
    expect(told).toMatchObject(told.map(() => ({ timestamp: app.clock().toISOString() })))
    expect(new Set(messages.map(({ headers }) => headers['webhook-id'])).size).toBe(3)
    for (const message of messages) {
      expect(message.headers['content-type']).toBe('application/json')
      const otherSecret = `whsec_${Buffer.alloc(32).toString('base64')}`
      expect(() => verify(app, otherSecret, message)).toThrow('No matching signature')
    }
  })

  test('goes neither to those who did not ask for it nor to other accounts', async ({
    app,
    receiver,
    worker,
  }) => {
    const mine = await subscribe(app, receiver.url, ['link.deleted'])
    const other = await subscribe(app, receiver.url, ['link.created'])
    await mine.api('POST', '/api/url/add', { url: 'https://example.com/' })
    await worker.drain()
    expect([receiver.take(mine.path), receiver.take(other.path)]).toEqual([[], []])
  })

  test('tells of several links that were changed at once', async ({ app, receiver, worker }) => {
    const { owner, path, secret } = await subscribe(app, receiver.url, ['link.updated'])
    const ids = []
    for (let count = 0; count < 3; count += 1) {
      const input = { url: 'https://example.com/' }
      ids.push((await app.services.links.create(owner.account.id, input)).id)
    }
    await app.services.severalLinks.setStatus(owner.account.id, ids, 'disabled')
    await worker.drain()
    const told = receiver.take(path).map((message) => verify(app, secret, message))
    expect(told).toMatchObject(ids.map((id) => ({ data: { id, status: 'disabled' } })))
  })

  test('collects clicks, at most one message a second', async ({ app, receiver, worker }) => {
    const { owner, path, secret } = await subscribe(app, receiver.url, ['link.clicked'])
    const input = { url: 'https://example.com/' }
    const { id, alias } = await app.services.links.create(owner.account.id, input)
    const visit = () => app.request({ url: `/${alias}`, headers: { 'user-agent': 'Mozilla/5.0' } })
    const told = () => receiver.take(path).map((message) => verify(app, secret, message))
    await visit()
    await visit()
    await app.importClicks()
    await worker.drain()
    const links = [{ id, shorturl: `http://brev.test/${alias}`, clicks: 2 }]
    expect(told()).toMatchObject([{ type: 'link.clicked', data: { clicks: 2, links } }])
    await visit()
    await app.importClicks()
    await visit()
    await app.importClicks()
    await worker.drain()
    expect(told()).toEqual([])
    app.clock.advance(1)
    await worker.drain()
    expect(told()).toMatchObject([{ data: { clicks: 2 } }])
  })

  test('tells once of a link whose end has come', async ({ app, receiver, worker }) => {
    const { owner, path, secret } = await subscribe(app, receiver.url, ['link.ended'])
    const expiresAt = new Date(app.clock().getTime() + 3_600_000)
    const input = { url: 'https://example.com/', expiresAt: formatTimestamp(expiresAt) }
    const { id } = await app.services.links.create(owner.account.id, input)
    await worker.drain()
    expect(receiver.take(path)).toEqual([])
    app.clock.advance(3610)
    await worker.drain()
    app.clock.advance(10)
    await worker.drain()
    const told = receiver.take(path).map((message) => verify(app, secret, message))
    expect(told).toMatchObject([{ type: 'link.ended', data: { id } }])
  })
})

test('an import is told of when it ended, its links and a rehearsal are not', async ({
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
    for await (const _ of app.services.transfers.import(owner.account.id, request));
  }
  await worker.drain()
  const told = receiver.take(path).map((message) => verify(app, secret, message))
  const data = { name: 'links.csv', source: 'csv', state: 'done', counts: { created: 1 } }
  expect(told).toMatchObject([{ type: 'import.finished', data }])
})

describe('an endpoint', () => {
  test('that fails is tried again with the same id, and then works', async ({
    app,
    receiver,
    worker,
  }) => {
    const { person, page, path, secret } = await subscribe(app, receiver.url, ['link.created'])
    receiver.answerWith((_request, response) => response.writeHead(500).end())
    await person.send(`${page}/test`)
    await worker.drain()
    expect((await person.open(page)).body).toContain('waiting: it answered 500')
    expect((await person.open(page)).body).toContain('Fails since')
    app.clock.advance(4)
    await worker.drain()
    app.clock.advance(2)
    receiver.answerWith((_request, response) => response.writeHead(202).end())
    await worker.drain()
    const [first, second, ...more] = receiver.take(path)
    expect(more).toEqual([])
    expect(second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
    expect(second && verify(app, secret, second)).toMatchObject({ type: 'webhook.test' })
    expect((await person.open(page)).body).toContain('delivered (202)')
    expect((await person.open(page)).body).toContain('<p>On.</p>')
  })

  test('that asks for time is given it', async ({ app, receiver, worker }) => {
    const { person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    receiver.answerWith((_request, response) => {
      response.writeHead(429, { 'retry-after': '60' }).end()
    })
    await person.send(`${page}/test`)
    await worker.drain()
    receiver.answerWith((_request, response) => response.writeHead(204).end())
    app.clock.advance(59)
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(1)
    app.clock.advance(2)
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(1)
  })

  test('that answers 410 is turned off until it is turned on', async ({
    app,
    receiver,
    worker,
  }) => {
    const { person, page, path, api } = await subscribe(app, receiver.url, ['link.created'])
    receiver.answerWith((_request, response) => response.writeHead(410).end())
    await person.send(`${page}/test`)
    await worker.drain()
    receiver.answerWith((_request, response) => response.writeHead(204).end())
    expect(receiver.take(path)).toHaveLength(1)
    expect((await person.open(page)).body).toContain('when it answered 410')
    await person.send(`${page}/enable`)
    await api('POST', '/api/url/add', { url: 'https://example.com/' })
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(1)
  })

  test('that fails for five days is turned off', async ({ app, receiver, worker }) => {
    const { person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    receiver.answerWith((_request, response) => response.writeHead(500).end())
    await person.send(`${page}/test`)
    await worker.drain()
    app.clock.advance(5 * 86_400)
    await worker.drain()
    expect((await person.open(page)).body).toContain('after five days of failure')
    app.clock.advance(86_400)
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(2)
    receiver.answerWith((_request, response) => response.writeHead(204).end())
  })

  test('whose secret is replaced gets signatures of both for a day', async ({
    app,
    receiver,
    worker,
  }) => {
    const { person, page, path, secret, owner } = await subscribe(app, receiver.url, [
      'link.created',
    ])
    expect((await person.send(`${page}/rotate`)).statusCode).toBe(303)
    const body = (await person.open(page)).body
    const renewed = /whsec_[\w+/=]+/.exec(body)?.[0] ?? ''
    expect(renewed).not.toBe(secret)
    expect(body).toContain('The secret before it signs as well until')
    await app.make.link(owner)
    await worker.drain()
    const [both] = receiver.take(path)
    for (const each of [secret, renewed]) expect(both && verify(app, each, both)).toBeTruthy()
    app.clock.advance(86_401)
    await app.make.link(owner)
    await worker.drain()
    const [one] = receiver.take(path)
    expect(one && verify(app, renewed, one)).toBeTruthy()
    expect(() => one && verify(app, secret, one)).toThrow()
    expect((await person.open(page)).body).not.toContain('signs as well')
  })

  test('is not followed elsewhere', async ({ app, receiver, worker }) => {
    const { person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    receiver.answerWith((request, response) => {
      const location = '/elsewhere'
      response.writeHead(request.url === location ? 204 : 307, { location }).end()
    })
    await person.send(`${page}/test`)
    await worker.drain()
    receiver.answerWith((_request, response) => response.writeHead(204).end())
    expect([receiver.take(path).length, receiver.take('/elsewhere').length]).toEqual([1, 0])
    expect((await person.open(page)).body).toContain('it answered 307')
  })

  test('that never answers holds up no other account', async ({ app, receiver, worker }) => {
    const slow = await subscribe(app, receiver.url, ['link.created'])
    const quick = await subscribe(app, receiver.url, ['link.created'])
    receiver.answerWith((request, response) => {
      if (request.url !== slow.path) response.writeHead(204).end()
    })
    await slow.person.send(`${slow.page}/test`)
    await quick.person.send(`${quick.page}/test`)
    await worker.drain()
    receiver.answerWith((_request, response) => response.writeHead(204).end())
    expect((await quick.person.open(quick.page)).body).toContain('delivered (204)')
    expect((await slow.person.open(slow.page)).body).toContain('it did not answer in time')
    receiver.take(slow.path)
    receiver.take(quick.path)
  })

  test('on a private address is not dialled', async ({ app, worker }) => {
    const { person, page } = await subscribe(app, 'http://10.0.0.1/', ['link.created'])
    await person.send(`${page}/test`)
    await worker.drain()
    expect((await person.open(page)).body).toContain('it points to an address that is not public')
  })

  test('gets a message once more when its owner says so', async ({ app, receiver, worker }) => {
    const { person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    await person.send(`${page}/test`)
    await worker.drain()
    const [, again = ''] =
      /action="([^"]*\/deliveries\/\d+)"/.exec((await person.open(page)).body) ?? []
    expect((await person.send(again)).statusCode).toBe(303)
    await worker.drain()
    const [first, second] = receiver.take(path)
    expect(first && second?.headers['webhook-id']).toBe(first?.headers['webhook-id'])
  })

  test('that was deleted is told nothing any more', async ({ app, receiver, worker }) => {
    const { person, page, path, api } = await subscribe(app, receiver.url, ['link.created'])
    await person.send(`${page}/test`)
    expect((await person.send(`${page}/delete`)).headers.location).toBe('/console/webhooks')
    await api('POST', '/api/url/add', { url: 'https://example.com/' })
    await worker.drain()
    expect(receiver.take(path)).toEqual([])
    expect((await person.open(page)).statusCode).toBe(404)
  })

  test('is nobody else’s to see, try or delete', async ({ app, receiver }) => {
    const { page, id, owner } = await subscribe(app, receiver.url, ['link.created'])
    const stranger = await signIn(app, (await app.make.owner()).account.email, '192.0.2.1')
    expect((await stranger.open(page)).statusCode).toBe(404)
    for (const action of ['test', 'enable', 'delete', 'deliveries/1']) {
      expect((await stranger.send(`${page}/${action}`)).statusCode).toBe(404)
    }
    expect((await stranger.open('/console/webhooks')).body).toContain('There is no endpoint yet.')
    expect(await app.services.webhooks.get(owner.account.id, id)).toMatchObject({ id })
  })
})

test.for([
  [{ url: '', 'link.created': 'on' }, 'Must not be empty.'],
  [{ url: 'ftp://example.com/', 'link.created': 'on' }, 'Must be an http or https URL'],
  [{ url: 'http://a:b@example.com/', 'link.created': 'on' }, 'Must be an http or https URL'],
  [{ url: `http://example.com/${'x'.repeat(2048)}`, 'link.created': 'on' }, 'at most 2048 bytes'],
  [{ url: 'https://example.com/' }, 'Must name at least one event.'],
] as const)('%o is refused in words', async ([fields, text], { app, owner }) => {
  paths += 1
  const person = await signIn(app, owner.account.email, `198.51.100.${paths}`)
  const reply = await person.send('/console/webhooks', fields)
  expect(reply.statusCode).toBe(422)
  expect(reply.body).toContain(text)
  expect(await app.services.webhooks.list(owner.account.id)).toEqual([])
})
