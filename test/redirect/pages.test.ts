import { createHash } from 'node:crypto'
import { describe, expect } from 'vitest'
import { splashes } from '../../src/resources/splashes.ts'
import { browsers, crawlers, linkPreviewBots, tools } from '../fixtures/user-agents.ts'
import { postForm } from '../support/forms.ts'
import { appTest } from '../support/test.ts'
import { whilePasswordChecksAreBusy } from '../support/while-busy.ts'

const DESTINATION = 'https://example.com/target'

const test = appTest({ env: { TRUST_PROXY: '127.0.0.1/32' } })

describe('a password', () => {
  test('is requested at the short URL, which redirects and counts a click only after the right password', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const { id, alias } = await make.link(owner, { url: DESTINATION, password: 'open sesame' })
    const form = await request({ url: `/${alias}` })
    expect(form.statusCode).toBe(200)
    expect(form.body).toContain('type="password"')
    expect(form.body).not.toContain(DESTINATION)
    const wrongReply = await postForm(app, `/${alias}`, { password: 'open' })
    expect(wrongReply.statusCode).toBe(401)
    expect(wrongReply.body).not.toContain(DESTINATION)
    expect(await app.clicksOf(owner, id)).toBe(0)
    const rightReply = await postForm(app, `/${alias}`, { password: 'open sesame' })
    expect([rightReply.statusCode, rightReply.headers.location]).toEqual([303, DESTINATION])
    expect(await app.clicksOf(owner, id)).toBe(1)
  })

  test('is limited to ten attempts per minute from an IP address', async ({ app, make, owner }) => {
    const { alias } = await make.link(owner, { url: DESTINATION, password: 'open sesame' })
    for (let attempt = 0; attempt < 10; attempt += 1) {
      expect((await postForm(app, `/${alias}`, { password: 'no' })).statusCode).toBe(401)
    }
    const rejected = await postForm(app, `/${alias}`, { password: 'open sesame' })
    expect(rejected.statusCode).toBe(429)
    expect(Number(rejected.headers['retry-after'])).toBeGreaterThan(0)
    const fromOtherAddress = await postForm(
      app,
      `/${alias}`,
      { password: 'open sesame' },
      { address: '203.0.113.8' },
    )
    expect(fromOtherAddress.statusCode).toBe(303)
  })

  test('is verified for a few visitors at a time without delaying redirects', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const password = 'open sesame'
    const links = await Promise.all([1, 2, 3, 4, 5, 6].map(() => make.link(owner, { password })))
    const plainLink = await make.link(owner)
    const guesses = Array.from({ length: 120 }, (_, index) =>
      postForm(
        app,
        `/${links[index % 6]?.alias}`,
        { password: 'no' },
        { address: `198.51.100.${index}` },
      ),
    )
    expect((await request({ url: `/${plainLink.alias}` })).statusCode).toBe(302)
    const statuses = (await Promise.all(guesses)).map(({ statusCode }) => statusCode)
    expect(new Set(statuses)).toEqual(new Set([401, 503]))
    expect(statuses.filter((status) => status === 401).length).toBeGreaterThanOrEqual(18)
  })

  test('can be submitted again from the page shown while the server is busy', async ({
    app,
    make,
    owner,
  }) => {
    const { alias } = await make.link(owner, { url: DESTINATION, password: 'open sesame' })
    const rejected = await whilePasswordChecksAreBusy(app.services, () =>
      postForm(app, `/${alias}`, { password: 'open sesame' }),
    )
    expect(rejected.statusCode).toBe(503)
    expect(rejected.headers).toMatchObject({
      'retry-after': '2',
      'cache-control': 'private, no-store',
      'content-type': 'text/html; charset=utf-8',
      'x-frame-options': 'DENY',
    })
    // Without an action, the form posts to the current URL. A static page has no nonce.
    expect(rejected.body).toContain('<form method="post">')
    const policy = String(rejected.headers['content-security-policy']).split('; ')
    const style = /<style>(.*)<\/style>/s.exec(rejected.body)?.[1] ?? ''
    const digest = createHash('sha256').update(style).digest('base64')
    expect(policy).toContain(`style-src 'sha256-${digest}'`)
    expect(policy).toContain("script-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("form-action 'self' https: http:")
    const again = await postForm(app, `/${alias}`, { password: 'open sesame' })
    expect([again.statusCode, again.headers.location]).toEqual([303, DESTINATION])
  })
})

describe('a page before the destination', () => {
  test.for([
    ['frame', 'https://example.com/target"'],
    ['splash', 'href="https://example.com/target"'],
  ] as const)(
    'of type %s shows the destination, counts a click, and cannot be framed',
    async ([type, text], { app, make, owner, request }) => {
      const { id, alias } = await make.link(owner, {
        url: DESTINATION,
        type,
        metaTitle: 'My title',
      })
      const reply = await request({ url: `/${alias}` })
      expect(reply.statusCode).toBe(200)
      expect(reply.body).toContain(text)
      expect(reply.body).toContain('My title')
      expect(reply.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(reply.headers['cache-control']).toBe('private, no-store')
      expect(await app.clicksOf(owner, id)).toBe(1)
    },
  )

  test('shows the texts of a custom splash until the splash is deleted', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const splash = await make.splash(owner, {
      title: 'Wait',
      message: 'Almost there',
      seconds: 7,
    })
    const { alias } = await make.link(owner, { type: String(splash.id) })
    const { body } = await request({ url: `/${alias}` })
    for (const text of [
      'Wait',
      'Almost there',
      '<bdi id="left" data-seconds="7">7 sec</bdi>',
      DESTINATION,
    ])
      expect(body).toContain(text)
    await splashes.remove({ ...app.services, accountId: owner.account.id }, splash.id)
    expect((await request({ url: `/${alias}` })).body).not.toContain('Almost there')
  })

  test('shows preview bots the link’s title without counting a click', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const { id, alias } = await make.link(owner, {
      metaTitle: 'Seen <b>',
      metaImage: 'https://example.com/i.png',
    })
    const plainLink = await make.link(owner)
    for (const userAgent of linkPreviewBots) {
      const headers = { 'user-agent': userAgent }
      const page = await request({ url: `/${alias}`, headers })
      expect([userAgent, page.statusCode]).toEqual([userAgent, 200])
      expect(page.body).toContain('property="og:title" content="Seen &lt;b&gt;"')
      expect((await request({ url: `/${plainLink.alias}`, headers })).statusCode).toBe(302)
    }
    expect(await app.clicksOf(owner, id)).toBe(0)
    const locked = await make.link(owner, { metaTitle: 'Locked', password: 'open sesame' })
    const headers = { 'user-agent': linkPreviewBots[0] ?? '' }
    expect((await request({ url: `/${locked.alias}`, headers })).body).not.toContain(DESTINATION)
  })
})

test('a link without a form rejects POST requests', async ({ app, make, owner }) => {
  const { alias } = await make.link(owner)
  const reply = await postForm(app, `/${alias}`, { anything: 'x' })
  expect([reply.statusCode, reply.headers.allow]).toEqual([405, 'GET, HEAD'])
  expect((await postForm(app, '/nothing', {})).statusCode).toBe(404)
})

describe('clicks', () => {
  test(`count visits by ${browsers.length + tools.length} browsers and tools, and not by ${crawlers.length} crawlers`, async ({
    app,
    make,
    owner,
    request,
  }) => {
    const agents = [...browsers.map(({ ua }) => ua), ...tools.map(({ ua }) => ua), '']
    const countedLink = await make.link(owner)
    const crawledLink = await make.link(owner)
    for (const userAgent of agents) {
      await request({ url: `/${countedLink.alias}`, headers: { 'user-agent': userAgent } })
    }
    for (const userAgent of crawlers) {
      const reply = await request({
        url: `/${crawledLink.alias}`,
        headers: { 'user-agent': userAgent },
      })
      expect(reply.statusCode).toBe(302)
    }
    expect(await app.clicksOf(owner, countedLink.id)).toBe(agents.length)
    expect(await app.clicksOf(owner, crawledLink.id)).toBe(0)
    expect(agents.length).toBeGreaterThanOrEqual(60)
    expect(crawlers.length).toBeGreaterThanOrEqual(60)
  })

  test('do not include HEAD requests or prefetches of any kind of link', async ({
    app,
    make,
    owner,
    request,
  }) => {
    for (const type of ['direct', 'frame', 'splash']) {
      const { id, alias } = await make.link(owner, { type })
      const head = await request({ method: 'HEAD', url: `/${alias}` })
      expect([head.statusCode, head.body]).toEqual([type === 'direct' ? 302 : 200, ''])
      for (const headers of [{ purpose: 'prefetch' }, { 'sec-purpose': 'prefetch;prerender' }]) {
        await request({ url: `/${alias}`, headers })
      }
      expect(await app.clicksOf(owner, id)).toBe(0)
    }
  })

  test('include the number of unique visitors by IP address and user agent', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const { id, alias } = await make.link(owner)
    for (const remoteAddress of [
      '203.0.113.1',
      '203.0.113.1',
      '203.0.113.2',
      '::ffff:203.0.113.2',
    ]) {
      await request({ url: `/${alias}`, remoteAddress, headers: { 'user-agent': 'one' } })
    }
    await request({
      url: `/${alias}`,
      remoteAddress: '203.0.113.1',
      headers: { 'user-agent': 'two' },
    })
    await app.importClicks()
    const reply = await request({ url: `/api/url/${id}`, headers: owner.headers })
    expect(reply.json().data).toMatchObject({ clicks: 5, uniqueClicks: 3 })
  })

  test('count one browser in an IPv6 /64 as one visitor', async ({ app, make, owner, request }) => {
    const { id, alias } = await make.link(owner)
    for (const remoteAddress of ['2001:db8:1:2::1', '2001:db8:1:2:a:b:c:d', '2001:db8:1:3::1']) {
      await request({ url: `/${alias}`, remoteAddress, headers: { 'user-agent': 'one' } })
    }
    await app.importClicks()
    const reply = await request({ url: `/api/url/${id}`, headers: owner.headers })
    expect(reply.json().data).toMatchObject({ clicks: 3, uniqueClicks: 2 })
  })

  test('are counted by country, referrer, browser, system, and social network', async ({
    app,
    make,
    owner,
    request,
  }) => {
    const { id, alias } = await make.link(owner)
    const chrome = browsers.find(({ browser }) => browser === 'Chrome')
    for (const referer of [
      'https://www.facebook.com/x',
      'https://t.co/y',
      'https://__proto__/',
      '',
      'https://news.example/a?b',
    ]) {
      const headers = { 'user-agent': chrome?.ua ?? '', ...(referer && { referer }) }
      await request({ url: `/${alias}`, remoteAddress: '127.0.0.1', headers })
    }
    await app.importClicks()
    const { data } = (await request({ url: `/api/url/${id}`, headers: owner.headers })).json()
    expect(data).toMatchObject({
      topCountries: { Unknown: '5' },
      topBrowsers: { Chrome: '5' },
      topOs: { [chrome?.os ?? '']: '5' },
      topReferrers: {
        'facebook.com': '1',
        't.co': '1',
        'Direct, email and other': '1',
        'news.example': '1',
      },
      socialCount: { facebook: 1, twitter: 1, instagram: 0 },
    })
  })
})
