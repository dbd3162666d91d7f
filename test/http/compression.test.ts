import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'vitest'
import { scopeOf } from '../../src/scope.ts'
import { addWebhook } from '../../src/webhooks/webhook.service.ts'
import { formOf } from '../support/forms.ts'
import { linkPageTest } from '../support/link-page.ts'

const test = linkPageTest()

const BROWSER = { 'accept-encoding': 'gzip, deflate, br, zstd' }

test('pages and JSON of 1 KB and more are compressed for clients that accept it', async ({
  make,
  owner,
  person,
  request,
}) => {
  for (let count = 0; count < 8; count += 1) await make.link(owner)
  const page = { url: '/console/links', headers: { cookie: person.cookie } }
  const list = { url: '/api/urls?limit=20', headers: owner.headers }
  const description = { url: '/openapi.json', headers: {} }
  for (const { url, headers } of [page, list, description]) {
    const plain = await request({ url, headers })
    expect([url, plain.statusCode, plain.headers['content-encoding']]).toEqual([
      url,
      200,
      undefined,
    ])
    const brotli = await request({ url, headers: { ...headers, ...BROWSER } })
    expect([url, brotli.headers['content-encoding']]).toEqual([url, 'br'])
    expect(brotli.headers.vary).toContain('accept-encoding')
    const text = String(brotliDecompressSync(brotli.rawPayload))
    expect(text.length).toBeGreaterThan(1024)
    expect(brotli.rawPayload.length).toBeLessThan(text.length / 2)
    const gzip = await request({ url, headers: { ...headers, 'accept-encoding': 'gzip' } })
    expect([url, gzip.headers['content-encoding']]).toEqual([url, 'gzip'])
    expect(String(gunzipSync(gzip.rawPayload)).length).toBe(text.length)
  }
  const small = await request({ url: '/api/account', headers: { ...owner.headers, ...BROWSER } })
  expect([small.statusCode, small.headers['content-encoding']]).toEqual([200, undefined])
})

test('redirects and visitors’ pages are not compressed', async ({ make, owner, request }) => {
  const { alias } = await make.link(owner)
  const { alias: protectedAlias } = await make.link(owner, { password: 'open sesame' })
  for (const [url, status] of [
    [`/${alias}`, 302],
    [`/${protectedAlias}`, 200],
  ] as const) {
    const reply = await request({ url, headers: BROWSER })
    expect([reply.statusCode, reply.headers['content-encoding']]).toEqual([status, undefined])
  }
})

test('the feed of live statistics is not compressed', async ({ make, owner, person, request }) => {
  const { id } = await make.link(owner)
  const headers = { ...BROWSER, cookie: person.cookie }
  const reply = await request({ url: `/console/links/${id}/live`, headers })
  expect(reply.headers['content-type']).toContain('text/event-stream')
  expect(reply.headers['content-encoding']).toBeUndefined()
})

test('pages never repeat a form token, and accept each of them', async ({ person }) => {
  const [first, second] = [await person.open('/console/settings'), await person.open('/console')]
  const tokens = [first, second].map((page) => formOf(page).csrf)
  expect(new Set(tokens).size).toBe(2)
  const half = Math.floor((tokens[0]?.length ?? 0) / 2)
  expect(tokens[0]?.slice(half)).not.toBe(tokens[1]?.slice(half))
  for (const csrf of tokens) {
    const reply = await person.send('/console/theme', { csrf, theme: 'dark' })
    expect(reply.statusCode).toBe(303)
  }
  for (const csrf of ['', 'A'.repeat(86), tokens[0]?.slice(0, 43) ?? '']) {
    const reply = await person.send('/console/theme', { csrf, theme: 'dark' })
    expect([csrf, reply.statusCode]).toEqual([csrf, 403])
  }
})

test('the page with the signing secret of a webhook is not compressed', async ({
  app,
  owner,
  person,
  request,
}) => {
  const input = { url: 'https://hooks.example/in', events: ['link.created' as const] }
  const id = await addWebhook(scopeOf(app.services, owner.account.id), input)
  const headers = { ...BROWSER, cookie: person.cookie }
  const reply = await request({ url: `/console/webhooks/${id}`, headers })
  expect(reply.body).toContain('whsec_')
  expect(reply.headers['content-encoding']).toBeUndefined()
  expect(reply.headers['cache-control']).toBe('private, no-store, no-transform')
})
