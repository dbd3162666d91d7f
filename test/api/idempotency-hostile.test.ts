import { expect } from 'vitest'
import { appTest } from '../support/test.ts'

const test = appTest().extend('api', { scope: 'file' }, ({ owner, request }) => {
  /**
   * Sends a batch with an Idempotency-Key. Its host is not cached, so that the request also queries
   * the database outside of its transaction.
   */
  function add(key: string, host: string) {
    return request({
      method: 'POST',
      url: '/api/urls/add',
      headers: { ...owner.headers, 'idempotency-key': key },
      payload: { urls: [{ url: `https://${host}/a` }, { url: `https://${host}/b`, domain: host }] },
    })
  }
  return { add }
})

test('forty concurrent requests with one Idempotency-Key are executed once, without exhausting connections', async ({
  owner,
  request,
  api: { add },
}) => {
  const host = 'same.example'
  const replies = Promise.all(Array.from({ length: 40 }, () => add('same', host)))
  const otherRequest = request({ url: '/api/account', headers: owner.headers })
  expect((await otherRequest).statusCode).toBe(200)
  const bodies = (await replies).map(({ body }) => body)
  expect(new Set(bodies).size).toBe(1)
  expect(JSON.parse(bodies[0] ?? '')).toMatchObject({
    error: 0,
    results: [{ error: 0 }, { error: 1 }],
  })
})

test('forty concurrent requests with different Idempotency-Keys are all executed', async ({
  api: { add },
}) => {
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, index) => add(`own${index}`, `own${index}.example`)),
  )
  expect(replies.map(({ statusCode }) => statusCode)).toEqual(Array(40).fill(200))
})

test('a rejected entry of a batch is rolled back without affecting other entries', async ({
  make,
  owner,
  request,
}) => {
  await make.link(owner, { alias: 'taken' })
  const count = async () =>
    (await request({ url: '/api/urls', headers: owner.headers })).json().data.result
  const before = await count()
  const reply = await request({
    method: 'POST',
    url: '/api/urls/add',
    headers: { ...owner.headers, 'idempotency-key': 'mixed' },
    payload: {
      urls: [
        { url: 'https://a.example/', custom: 'unfinished', pixels: [99_999] },
        { url: 'https://b.example/', custom: 'taken' },
        { url: 'https://c.example/', custom: 'finished' },
      ],
    },
  })
  const { results } = reply.json()
  expect(results.map(({ error }: { error: number }) => error)).toEqual([1, 1, 0])
  expect(await count()).toBe(before + 1)
  expect((await request({ url: '/unfinished' })).statusCode).toBe(404)
  expect((await request({ url: '/finished' })).statusCode).toBe(302)
})
