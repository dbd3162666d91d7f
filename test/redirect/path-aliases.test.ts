import { describe, expect } from 'vitest'
import { base64, legacyApiClient } from '../support/legacy-api.ts'
import { appTest } from '../support/test.ts'

const url = 'https://example.com/target'
const base = 'https://example.com/base'

const test = appTest().extend('visit', { scope: 'file' }, ({ request }) => {
  /** Returns the location of a redirect, or else the status. */
  return async (path: string, options: object = {}) => {
    const reply = await request({ url: path, headers: { host: 'brev.test' }, ...options })
    return reply.headers.location ?? reply.statusCode
  }
})

const form = (fields: Record<string, string>, headers: object = {}) => ({
  method: 'POST',
  headers: {
    host: 'brev.test',
    'content-type': 'application/x-www-form-urlencoded',
    ...headers,
  },
  payload: new URLSearchParams(fields).toString(),
})

describe('an alias with slashes and dots', () => {
  test('redirects, also with encoded slashes, and counts', async ({ app, make, owner, visit }) => {
    const { id, shortUrl } = await make.link(owner, { url, alias: 'blog/Größe/post.html' })
    expect(shortUrl).toBe('http://brev.test/blog/Gr%C3%B6%C3%9Fe/post.html')
    expect(await visit('/blog/Gr%C3%B6%C3%9Fe/post.html')).toBe(url)
    expect(await visit('/blog%2FGr%C3%B6%C3%9Fe%2Fpost.html?a=1')).toBe(url)
    expect(await visit('/blog/Gr%C3%B6%C3%9Fe/post.html', { method: 'HEAD' })).toBe(url)
    expect(await app.clicksOf(owner, id)).toBe(2)
    for (const path of ['/blog', '/blog/Gr%C3%B6%C3%9Fe', '/post.html', '/blog/a/../b']) {
      expect([path, await visit(path)]).toEqual([path, 404])
    }
  })

  test('has a preview, a report form and a password form', async ({
    make,
    owner,
    request,
    visit,
  }) => {
    await make.link(owner, { url, alias: 'tag/ya.ru' })
    const preview = await request({ url: '/tag/ya.ru+' })
    expect([preview.statusCode, preview.body.includes('<bdi>brev.test/tag/ya.ru</bdi>')]).toEqual([
      200,
      true,
    ])
    expect(preview.body).toContain('href="/tag/ya.ru+report"')
    expect(await visit('/tag/ya.ru+report')).toBe(200)
    expect(await visit('/tag/unknown+report')).toBe(404)
    expect(await visit('/tag/ya.ru+report', form({ reason: 'spam' }))).toBe(403)

    await make.link(owner, { url, alias: 'tag/secret', password: 'open sesame' })
    const page = await request({ url: '/tag/secret' })
    expect([page.statusCode, page.body.includes('action="/tag/secret"')]).toEqual([200, true])
    expect(await visit('/tag/secret', form({ password: 'wrong' }))).toBe(401)
    expect(await visit('/tag/secret', form({ password: 'open sesame' }))).toBe(url)
  })

  test('wins over a shorter alias that forwards the path', async ({ make, owner, visit }) => {
    await make.link(owner, { url: base, alias: 'shop', forwardPath: true })
    await make.link(owner, { url: `${base}/two`, alias: 'shop/two', forwardPath: true })
    await make.link(owner, { url, alias: 'shop/two/exact' })
    expect(await visit('/shop/two/exact')).toBe(url)
    expect(await visit('/shop/two/exact/x')).toBe(`${base}/two/exact/x`)
    expect(await visit('/shop/two')).toBe(`${base}/two`)
    expect(await visit('/shop/one/a%2Fb')).toBe(`${base}/one/a%2Fb`)
    expect(await visit('/shop/two/a+a+')).toBe(`${base}/two/a+a+`)
    expect(await visit('/shop/+')).toBe(`${base}/+`)
    expect(await visit('/shop/two/exact/+')).toBe(200)
  })
})

describe('an alias with a slash is created and found', () => {
  test('by the JSON API, which rejects reserved first segments', async ({ app, owner }) => {
    const add = (custom: string) =>
      app.request({
        method: 'POST',
        url: '/api/url/add',
        headers: owner.headers,
        payload: { url, custom },
      })
    const created = (await add('docs.v2/intro')).json()
    expect(created).toMatchObject({ error: 0, shorturl: 'http://brev.test/docs.v2/intro' })
    expect((await add('docs.v2/intro')).statusCode).toBe(409)
    for (const custom of ['console/x', 'API/v1', 'robots.txt', 'a/../b', 'a//b']) {
      const reply = await add(custom)
      expect([custom, reply.statusCode, reply.json().error]).toEqual([custom, 400, 1])
    }
    const find = async (short: string) => {
      const query = new URLSearchParams({ short })
      const reply = await app.request({ url: `/api/urls?${query}`, headers: owner.headers })
      return reply.json().data.urls.map(({ alias }: { alias: string }) => alias)
    }
    for (const short of [
      'docs.v2/intro',
      'brev.test/docs.v2/intro',
      'docs.v2%2Fintro',
      created.shorturl,
    ]) {
      expect([short, await find(short)]).toEqual([short, ['docs.v2/intro']])
    }
    expect(await find('other.test/docs.v2/intro')).toEqual([])
  })

  test('by the earlier API and the YOURLS API', async ({ app, owner, visit }) => {
    const { call, getInfo } = legacyApiClient({ app, owner })
    const path = `create/custom_url/${encodeURIComponent('news/2026.html')}/url/${base64(url)}.json`
    const { data } = (await call(path)).json()
    expect(data).toMatchObject({
      short_url: 'http://brev.test/news/2026.html',
      short_url_part: 'news/2026.html',
    })
    expect(await getInfo(data.short_url)).toMatchObject({ url_id: data.url_id })
    expect((await call(`create/custom_url/a%2F..%2Fb/url/${base64(url)}.json`)).statusCode).toBe(
      400,
    )

    const yourls = async (parameters: Record<string, string>) => {
      const query = new URLSearchParams({ signature: owner.key, format: 'json', ...parameters })
      return (await app.request({ url: `/yourls-api.php?${query}` })).json()
    }
    expect(await yourls({ action: 'shorturl', url, keyword: 'book/1' })).toMatchObject({
      status: 'success',
      shorturl: 'http://brev.test/book/1',
    })
    for (const shorturl of ['book/1', 'http://brev.test/book/1']) {
      expect(await yourls({ action: 'expand', shorturl })).toMatchObject({ longurl: url })
    }
    expect(await visit('/book/1')).toBe(url)
  })
})
