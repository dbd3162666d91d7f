import { expect } from 'vitest'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/target'

const test = appTest()

const PREVIEW_BOTS = [
  'http.rb/5.1.1 (Mastodon/4.2.1; +https://mastodon.example/)',
  'RocketChat/6.5.0',
  'Valve/Steam HTTP Client 1.0 (4)',
  'Misskey/2024.5.0 (https://misskey.example)',
]
const MONITORS = [
  'Uptime-Kuma/1.23.0',
  'check_http/v2.2 (monitoring-plugins 2.2)',
  'NewRelicPinger/1.0 (123456)',
  'Go-http-client/1.1 (Gatus/1.0)',
]
const COUNTED = ['', 'curl/8.5.0', 'http.rb/5.1.1', 'python-requests/2.32.3', 'Mozilla/5.0 (X11)']

test('preview bots get a preview, monitors a redirect, and neither counts', async ({
  app,
  make,
  owner,
  request,
}) => {
  const { id, alias } = await make.link(owner, { url, metaTitle: 'A title' })
  const visit = (userAgent: string) =>
    request({ url: `/${alias}`, headers: { 'user-agent': userAgent } })
  for (const userAgent of PREVIEW_BOTS) {
    const reply = await visit(userAgent)
    expect([reply.statusCode, reply.body], userAgent).toEqual([
      200,
      expect.stringContaining('<meta property="og:title" content="A title">'),
    ])
  }
  for (const userAgent of [...MONITORS, ...COUNTED]) {
    const reply = await visit(userAgent)
    expect([reply.statusCode, reply.headers.location], userAgent).toEqual([302, url])
  }
  expect(await app.clicksOf(owner, id)).toBe(COUNTED.length)
})
