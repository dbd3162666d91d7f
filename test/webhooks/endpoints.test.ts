import { describe, expect, onTestFinished } from 'vitest'
import { getWebhook, listWebhooks } from '../../src/webhooks/webhook.service.ts'
import { newAddress } from '../support/addresses.ts'
import { signIn } from '../support/console.ts'
import { type Received, startWorker, verify } from '../support/webhooks.ts'
import { subscribe, webhooksTest } from '../support/webhooks-test.ts'

const test = webhooksTest()

function listIds(messages: readonly Received[]): (string | undefined)[] {
  return messages.map(({ headers }) => headers['webhook-id'])
}

describe('a webhook endpoint', () => {
  test('that fails gets retries with the same ID until it works', async ({
    app,
    receiver,
    worker,
  }) => {
    const { person, page, path, secret } = await subscribe(app, receiver.url, ['link.created'])
    receiver.respondWith((_request, response) => response.writeHead(500).end())
    await person.send(`${page}/test`)
    await worker.drain()
    expect((await person.open(page)).body).toMatch(/Retrying at [\w :,]+ – returned 500/)
    expect((await person.open(page)).body).toContain('Failing since')
    app.clock.advance(4)
    await worker.drain()
    app.clock.advance(2)
    receiver.respondWith((_request, response) => response.writeHead(202).end())
    await worker.drain()
    const messages = receiver.take(path)
    const [id] = listIds(messages)
    expect(listIds(messages)).toEqual([expect.stringMatching(/^msg_\d+$/), id])
    for (const message of messages) {
      expect(verify(app, secret, message)).toMatchObject({ type: 'webhook.test' })
    }
    expect((await person.open(page)).body).toContain('Delivered (202)')
    expect((await person.open(page)).body).toContain('<p>Active</p>')
  })

  test('that sends Retry-After gets the retry at that time', async ({ app, receiver, worker }) => {
    const { person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    receiver.respondWith((_request, response) => {
      response.writeHead(429, { 'retry-after': '60' }).end()
    })
    await person.send(`${page}/test`)
    await worker.drain()
    receiver.respondWith((_request, response) => response.writeHead(204).end())
    app.clock.advance(59)
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(1)
    app.clock.advance(2)
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(1)
  })

  test('that responds with 410 is disabled: nothing is sent or collected until it is enabled', async ({
    app,
    receiver,
    worker,
  }) => {
    const { owner, person, page, path, secret } = await subscribe(app, receiver.url, [
      'link.created',
      'link.clicked',
    ])
    const takeEvents = () =>
      receiver.take(path).map((message) => {
        const { type, data } = verify(app, secret, message) as {
          type: string
          data: { id: number } | { clicks: number }
        }
        return [type, 'id' in data ? data.id : data.clicks]
      })
    // Clicks are collected for the account, because of this endpoint.
    await subscribe(app, receiver.url, ['link.clicked'], owner)
    const [first, waiting] = [await app.make.link(owner), await app.make.link(owner)]
    receiver.respondWith((_request, response) => response.writeHead(410).end())
    await worker.drain()
    expect(takeEvents()).toEqual([['link.created', first.id]])
    expect((await person.open(page)).body).toContain('(returned 410)')

    // Longer than any pause between attempts.
    app.clock.advance(2 * 86_400)
    receiver.respondWith((_request, response) => response.writeHead(204).end())
    const unannounced = await app.make.link(owner)
    await app.request({ url: `/${unannounced.alias}` })
    await app.importClicks()
    await worker.drain()
    expect(takeEvents()).toEqual([])

    await app.request({ url: `/${unannounced.alias}` })
    await app.importClicks()
    await person.send(`${page}/enable`)
    const latest = await app.make.link(owner)
    await app.request({ url: `/${latest.alias}` })
    await app.importClicks()
    await worker.drain()
    expect(takeEvents().sort()).toEqual([
      ['link.clicked', 1],
      ['link.created', waiting.id],
      ['link.created', latest.id],
    ])
  })

  test('that is disabled loses clicks that were not sent yet', async ({
    app,
    receiver,
    worker,
  }) => {
    const { owner, person, page, path } = await subscribe(app, receiver.url, ['link.clicked'])
    const { alias } = await app.make.link(owner)
    const visit = async () => {
      await app.request({ url: `/${alias}` })
      await app.importClicks()
    }
    receiver.respondWith((_request, response) => response.writeHead(500).end())
    await visit()
    await worker.drain()
    // Waits for the message about the first click.
    await visit()
    app.clock.advance(3600)
    receiver.respondWith((_request, response) => response.writeHead(410).end())
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(2)
    receiver.respondWith((_request, response) => response.writeHead(204).end())
    await worker.drain()
    await person.send(`${page}/enable`)
    await worker.drain()
    expect(receiver.take(path)).toEqual([])
  })

  test('that fails for five days is disabled', async ({ app, receiver, worker }) => {
    const { person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    receiver.respondWith((_request, response) => response.writeHead(500).end())
    await person.send(`${page}/test`)
    await worker.drain()
    app.clock.advance(5 * 86_400)
    await worker.drain()
    expect((await person.open(page)).body).toContain('(failed for 5 days)')
    app.clock.advance(86_400)
    await worker.drain()
    expect(receiver.take(path)).toHaveLength(2)
    receiver.respondWith((_request, response) => response.writeHead(204).end())
  })

  test('gets signatures with both secrets for a day after a rotation', async ({
    app,
    receiver,
    worker,
  }) => {
    const { person, page, path, secret, owner } = await subscribe(app, receiver.url, [
      'link.created',
    ])
    expect((await person.send(`${page}/rotate`)).statusCode).toBe(303)
    const body = (await person.open(page)).body
    const newSecret = /whsec_[\w+/=]+/.exec(body)?.[0] ?? ''
    expect(newSecret).not.toBe(secret)
    expect(body).toContain('The previous secret also works until')
    await app.make.link(owner)
    await worker.drain()
    const [signedTwice] = receiver.take(path)
    for (const each of [secret, newSecret])
      expect(signedTwice && verify(app, each, signedTwice)).toBeTruthy()
    app.clock.advance(86_401)
    await app.make.link(owner)
    await worker.drain()
    const [latest] = receiver.take(path)
    expect(latest && verify(app, newSecret, latest)).toBeTruthy()
    expect(() => latest && verify(app, secret, latest)).toThrow()
    expect((await person.open(page)).body).not.toContain('previous secret')
  })

  test('gets no messages through redirects', async ({ app, receiver, worker }) => {
    const { person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    receiver.respondWith((request, response) => {
      const location = '/elsewhere'
      response.writeHead(request.url === location ? 204 : 307, { location }).end()
    })
    await person.send(`${page}/test`)
    await worker.drain()
    receiver.respondWith((_request, response) => response.writeHead(204).end())
    expect([receiver.take(path).length, receiver.take('/elsewhere').length]).toEqual([1, 0])
    expect((await person.open(page)).body).toContain('returned 307')
  })

  test('that never responds does not delay other accounts', async ({ app, receiver }) => {
    const worker = startWorker(app, { timeoutMs: 1000 })
    onTestFinished(worker.close)
    const slow = await subscribe(app, receiver.url, ['link.created'])
    const quick = await subscribe(app, receiver.url, ['link.created'])
    receiver.respondWith((request, response) => {
      if (request.url !== slow.path) response.writeHead(204).end()
    })
    await slow.person.send(`${slow.page}/test`)
    await quick.person.send(`${quick.page}/test`)
    await worker.drain()
    receiver.respondWith((_request, response) => response.writeHead(204).end())
    expect((await quick.person.open(quick.page)).body).toContain('Delivered (204)')
    expect((await slow.person.open(slow.page)).body).toContain('– did not respond in time')
    receiver.take(slow.path)
    receiver.take(quick.path)
  })

  test('on a private address gets no connection', async ({ app, worker }) => {
    const { person, page } = await subscribe(app, 'http://10.0.0.1/', ['link.created'])
    await person.send(`${page}/test`)
    await worker.drain()
    expect((await person.open(page)).body).toContain('– could not be reached at a public address')
    await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
    expect((await person.open(page)).body).toContain(
      '– ist unter keiner öffentlichen Adresse erreichbar',
    )
  })

  test("gets a message again on the owner's request", async ({ app, receiver, worker }) => {
    const { owner, person, page, path } = await subscribe(app, receiver.url, ['link.created'])
    await person.send(`${page}/test`)
    await worker.drain()
    const [, resendPath = ''] =
      /action="([^"]*\/deliveries\/\d+)"/.exec((await person.open(page)).body) ?? []
    const other = await subscribe(app, receiver.url, ['link.created'], owner)
    const pathOfOther = resendPath.replace(page, other.page)
    expect((await other.person.send(pathOfOther)).statusCode).toBe(404)
    expect((await person.send(resendPath)).statusCode).toBe(303)
    await worker.drain()
    const ids = listIds(receiver.take(path))
    expect(ids).toEqual([expect.stringMatching(/^msg_\d+$/), ids[0]])
  })

  test('gets no more messages after its deletion', async ({ app, receiver, worker }) => {
    const { person, page, path, api } = await subscribe(app, receiver.url, ['link.created'])
    await person.send(`${page}/test`)
    expect((await person.send(`${page}/delete`)).headers.location).toBe('/console/webhooks')
    await api('POST', '/api/url/add', { url: 'https://example.com/' })
    await worker.drain()
    expect(receiver.take(path)).toEqual([])
    expect((await person.open(page)).statusCode).toBe(404)
  })

  test('cannot be seen, tested or deleted by other accounts', async ({ app, receiver }) => {
    const { page, id, owner } = await subscribe(app, receiver.url, ['link.created'])
    const otherOwner = await signIn(app, (await app.make.owner()).account.email, '192.0.2.1')
    expect((await otherOwner.open(page)).statusCode).toBe(404)
    for (const action of ['test', 'enable', 'rotate', 'delete', 'deliveries/1']) {
      expect((await otherOwner.send(`${page}/${action}`)).statusCode).toBe(404)
    }
    expect((await otherOwner.open('/console/webhooks')).body).toContain('No endpoints yet.')
    expect(
      await getWebhook({ db: app.services.db, accountId: owner.account.id }, id),
    ).toMatchObject({ id })
  })
})

test.for([
  [{ url: '', 'link.created': 'on' }, 'Must not be empty.'],
  [{ url: 'ftp://example.com/', 'link.created': 'on' }, 'Must be an http or https URL'],
  [{ url: 'http://a:b@example.com/', 'link.created': 'on' }, 'Must be an http or https URL'],
  [{ url: `http://example.com/${'x'.repeat(2048)}`, 'link.created': 'on' }, 'at most 2048 bytes'],
  [{ url: 'https://example.com/' }, 'Select at least one event.'],
] as const)('a new endpoint is rejected with %o: %s', async ([fields, text], { app, owner }) => {
  const person = await signIn(app, owner.account.email, newAddress())
  const reply = await person.send('/console/webhooks', fields)
  expect(reply.statusCode).toBe(422)
  expect(reply.body).toContain(text)
  expect(await listWebhooks({ db: app.services.db, accountId: owner.account.id })).toEqual([])
})
