import { describe, expect } from 'vitest'
import { resourceClient } from '../support/api-client.ts'
import { expectRejection } from '../support/rejections.ts'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ app, owner, request }) => {
  const { send } = resourceClient({ app, owner }, 'url')
  const sendWithKey = (key: string, payload: object, caller = owner, url = '/api/url/add') =>
    request({
      method: 'POST',
      url,
      headers: { ...caller.headers, 'idempotency-key': key },
      payload,
    })
  return { send, sendWithKey }
})

const target = 'https://example.com/target'

describe('POST /api/urls/add', () => {
  test('creates many links in one request and returns the outcome of each', async ({
    api: { send },
  }) => {
    const reply = await send('POST', '/api/urls/add', {
      urls: [
        { url: target },
        { url: 'nonsense' },
        { url: target, custom: 'batched' },
        5,
        { url: target, custom: 'batched' },
      ],
    })
    expect(reply.statusCode).toBe(200)
    expect(reply.json()).toEqual({
      error: 0,
      results: [
        { error: 0, id: expect.any(Number), shorturl: expect.any(String) },
        { error: 1, message: 'url must be a valid http or https URL' },
        { error: 0, id: expect.any(Number), shorturl: 'http://brev.test/batched' },
        { error: 1, message: 'The request body must be a JSON object.' },
        { error: 1, message: 'That alias is taken. Please choose another one.' },
      ],
    })
  })

  test.for([
    [{}, 'urls is required'],
    [{ urls: [] }, 'urls must not have fewer than 1 items'],
    [{ urls: 'x' }, 'urls must be an array'],
    [
      { urls: Array.from({ length: 101 }, () => ({ url: target })) },
      'urls must not have more than 100 items',
    ],
  ] as const)('rejects %j', async ([payload, message], { api: { send } }) => {
    expectRejection(await send('POST', '/api/urls/add', payload), message)
  })
})

describe('Idempotency-Key', () => {
  test('replays the first reply to the same request', async ({ api: { sendWithKey } }) => {
    const first = await sendWithKey('one', { url: target })
    const again = await sendWithKey('one', { url: target })
    expect(again.statusCode).toBe(200)
    expect(again.json()).toEqual(first.json())
  })

  test('executes ten concurrent requests once', async ({ make, api: { send, sendWithKey } }) => {
    const caller = await make.owner()
    const replies = await Promise.all(
      Array.from({ length: 10 }, () => sendWithKey('two', { url: target }, caller)),
    )
    expect(new Set(replies.map(({ body }) => body)).size).toBe(1)
    expect((await send('GET', '/api/urls', undefined, caller)).json().data.result).toBe(1)
  })

  test('rejects another request with the same key', async ({ owner, api: { sendWithKey } }) => {
    await sendWithKey('three', { url: target })
    for (const reply of [
      await sendWithKey('three', { url: 'https://example.com/other' }),
      await sendWithKey('three', { urls: [{ url: target }] }, owner, '/api/urls/add'),
    ]) {
      expect(reply.statusCode).toBe(409)
      expect(reply.json().message).toBe(
        'This Idempotency-Key was already used for another request.',
      )
    }
  })

  test('is separate for each account and can be reused after a rejected request', async ({
    make,
    api: { sendWithKey },
  }) => {
    const otherOwner = await make.owner()
    const own = await sendWithKey('four', { url: target })
    const otherReply = await sendWithKey('four', { url: target }, otherOwner)
    expect(otherReply.json().id).not.toBe(own.json().id)
    expect((await sendWithKey('five', { url: 'nonsense' })).statusCode).toBe(400)
    expect((await sendWithKey('five', { url: target })).statusCode).toBe(200)
  })

  test('must have 1 to 255 characters', async ({ api: { sendWithKey } }) => {
    expect((await sendWithKey('x'.repeat(255), { url: target })).statusCode).toBe(200)
    for (const key of ['', 'x'.repeat(256)]) {
      const reply = await sendWithKey(key, { url: target })
      expect([reply.statusCode, reply.json().message]).toEqual([
        400,
        'Idempotency-Key must be 1 to 255 characters long',
      ])
    }
  })

  test('expires after a day', async ({ app, api: { sendWithKey } }) => {
    const first = await sendWithKey('six', { url: target })
    await app.services.database.db
      .updateTable('idempotency_keys')
      .set({ created_at: new Date(Date.now() - 86_401_000) })
      .where('key', '=', 'six')
      .execute()
    const next = await sendWithKey('six', { url: 'https://example.com/other' })
    expect(next.statusCode).toBe(200)
    expect(next.json().id).not.toBe(first.json().id)
  })
})
