import { describe, expect } from 'vitest'
import { findByShortLink } from '../../src/links/link-list.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { appTest } from '../support/test.ts'
import { yourlsClient } from '../support/yourls.ts'

const test = appTest().extend('call', { scope: 'file' }, ({ app, owner }) =>
  yourlsClient({ app, owner }),
)

const timestamp = expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)

describe('shorturl', () => {
  test('creates a link with a keyword and a title', async ({ app, call, owner, request }) => {
    const url = 'https://example.com/a?b=c&d'
    const reply = await call({ action: 'shorturl', url, keyword: 'Größe', title: ' A page ' })
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(reply.json()).toEqual({
      status: 'success',
      code: '',
      message: 'https://example.com/a?b=c&d added to database',
      errorCode: '',
      statusCode: '200',
      url: { keyword: 'Größe', url, title: 'A page', date: timestamp, ip: '203.0.113.7' },
      title: 'A page',
      shorturl: 'http://brev.test/Gr%C3%B6%C3%9Fe',
    })
    const visit = await request({ url: '/Gr%C3%B6%C3%9Fe' })
    expect(visit.headers.location).toBe(url)
    const link = await findByShortLink(
      scopeOf(app.services, owner.account.id),
      reply.json().shorturl,
    )
    expect(link).toMatchObject({ url, metaTitle: 'A page' })
  })

  test('creates a new link each time, with a random keyword', async ({ call }) => {
    const url = 'https://example.com/again'
    const [first, second] = await Promise.all(
      ['', ''].map(async () => (await call({ action: 'shorturl', url })).json()),
    )
    expect(first).toMatchObject({ status: 'success', title: 'example.com' })
    expect(first.url.keyword).toMatch(/^[A-Za-z2-9]{7}$/)
    expect(first.shorturl).toBe(`http://brev.test/${first.url.keyword}`)
    expect(second.shorturl).not.toBe(first.shorturl)
  })

  test.for([
    ['example.com/x', 'http://example.com/x'],
    ['example.com:8080', 'http://example.com:8080/'],
    ['  https://example.com/ ', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com', 'https://example.com/'],
  ] as const)('accepts %s as %s', async ([url, destination], { call }) => {
    expect((await call({ action: 'shorturl', url })).json().url.url).toBe(destination)
  })

  test('shortens a long URL to 60 characters in its message', async ({ call }) => {
    const url = `https://example.com/${'x'.repeat(60)}`
    const { message } = (await call({ action: 'shorturl', url })).json()
    expect(message).toBe(`${url.slice(0, 55)}[...] added to database`)
  })

  test('reports that a keyword exists if any account uses it or it is reserved', async ({
    call,
    make,
  }) => {
    await make.link(await make.owner(), { alias: 'theirs' })
    await make.link(await make.owner(), { alias: 'theirs-too', url: 'https://example.com/same' })
    for (const [keyword, url] of [
      ['theirs', 'https://example.com/'],
      ['theirs-too', 'https://example.com/same'],
      ['console', 'https://example.com/'],
      ['Internal', 'https://example.com/'],
    ] as const) {
      const reply = await call({ action: 'shorturl', url, keyword })
      expect(reply.statusCode).toBe(400)
      expect(reply.json()).toEqual({
        status: 'fail',
        code: 'error:keyword',
        message: `Short URL ${keyword} already exists in database or is reserved`,
        errorCode: '400',
        statusCode: '400',
      })
    }
  })

  test("returns the caller's existing link with the same keyword and destination", async ({
    call,
  }) => {
    const url = 'https://example.com/mine'
    const fields = { action: 'shorturl', url, keyword: 'mine' }
    const created = (await call({ ...fields, title: 'Mine' })).json()
    const reply = await call(fields)
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({
      status: 'fail',
      code: 'error:url',
      message: `${url} already exists in database (short URL: brev.test/mine)`,
      errorCode: '400',
      statusCode: '400',
      url: { ...created.url, ip: '', clicks: '0' },
      title: 'Mine',
      shorturl: created.shorturl,
    })
    const otherDestination = await call({ ...fields, url: 'https://example.com/other' })
    expect(otherDestination.json()).toMatchObject({ code: 'error:keyword' })
  })

  test.for([
    [{}, 'error:nourl', 'Missing or malformed URL'],
    [{ url: ' ' }, 'error:nourl', 'Missing or malformed URL'],
    [
      { url: 'javascript:alert(1)' },
      'error:nourl',
      'Missing or malformed URL: url must be a valid http or https URL',
    ],
    [
      { url: 'https://a:b@example.com/' },
      'error:nourl',
      'Missing or malformed URL: url must not contain a user name or password',
    ],
    [
      { url: `https://example.com/${'x'.repeat(9000)}` },
      'error:nourl',
      'Missing or malformed URL: url must be at most 8192 bytes',
    ],
    [{ url: 'http://brev.test/x' }, 'error:noloop', 'URL is a short URL'],
    [{ url: 'brev.test' }, 'error:noloop', 'URL is a short URL'],
    [
      { url: 'https://example.com/', keyword: 'a b' },
      'error:keyword',
      'keyword must be 1 to 64 letters, digits, hyphens or underscores',
    ],
    [
      { url: 'https://example.com/', keyword: 'a\u202eb' },
      'error:keyword',
      'keyword must not contain the invisible character U+202E',
    ],
    [
      { url: 'https://example.com/', title: 'x'.repeat(513) },
      'error:title',
      'title must be at most 512 characters long',
    ],
    [
      { url: 'https://example.com/', title: 'a\0b' },
      'error:title',
      'title must be text without NUL characters or broken surrogates',
    ],
  ] as const)('rejects %o', async ([fields, code, message], { call }) => {
    const reply = await call({ action: 'shorturl', ...fields })
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toEqual({
      status: 'fail',
      code,
      message,
      errorCode: '400',
      statusCode: '400',
    })
  })

  test("creates a link on the caller's branded domain, but not on another account's", async ({
    app,
    make,
    owner,
  }) => {
    await make.domain(owner, { domain: 'https://go.example' })
    await make.domain(await make.owner(), { domain: 'https://theirs.example' })
    for (const [host, keyword, shorturl] of [
      ['go.example', 'here', 'https://go.example/here'],
      ['theirs.example', 'there', 'http://brev.test/there'],
    ] as const) {
      const send = (fields: Record<string, string>) =>
        app.request({
          url: `/yourls-api.php?${new URLSearchParams({ signature: owner.key, format: 'json', ...fields })}`,
          headers: { host },
        })
      const created = await send({ action: 'shorturl', url: 'https://example.com/', keyword })
      expect(created.json()).toMatchObject({ status: 'success', shorturl })
      const expanded = await send({ action: 'expand', shorturl: keyword })
      expect(expanded.json()).toMatchObject({ shorturl, longurl: 'https://example.com/' })
    }
  })
})
