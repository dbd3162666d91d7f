import { runInNewContext } from 'node:vm'
import { describe, expect } from 'vitest'
import { appTest } from '../support/test.ts'
import {
  asForm,
  asJson,
  asMultipart,
  asQuery,
  type Fields,
  parseYourlsXml,
} from '../support/yourls.ts'

// Calls of real YOURLS clients and the fields they read from the replies.

const test = appTest()

const url = 'https://example.com/page?a=1&b=2'

describe('calls of these clients work:', () => {
  test('n8n: GET with a query and an empty JSON body', async ({ owner, request }) => {
    const sendCall = (fields: Record<string, string>) =>
      request({
        ...asQuery({ signature: owner.key, format: 'json', ...fields }),
        headers: { 'content-type': 'application/json' },
        payload: '{}',
      })
    const created = (await sendCall({ action: 'shorturl', url, keyword: 'n8n' })).json()
    expect(created.status).toBe('success')
    expect((await sendCall({ action: 'expand', shorturl: created.shorturl })).json().longurl).toBe(
      url,
    )
    const stats = (await sendCall({ action: 'url-stats', shorturl: created.shorturl })).json()
    expect(stats.link).toMatchObject({ url, clicks: '0' })
    expect((await sendCall({ action: 'shorturl', url: '' })).json().status).toBe('fail')
  })

  test('ShareX: multipart POST, with only the short URL as the reply', async ({
    owner,
    request,
  }) => {
    const allCredentials: Fields[] = [
      { signature: owner.key },
      { username: 'any-name', password: owner.key },
    ]
    for (const credentials of allCredentials) {
      const fields = { ...credentials, action: 'shorturl', url, format: 'simple' }
      const reply = await request(asMultipart(fields))
      expect(reply.statusCode).toBe(200)
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
      expect(reply.body).toMatch(/^http:\/\/brev\.test\/[A-Za-z2-9]{7}$/)
    }
    const failed = await request(
      asMultipart({ signature: owner.key, action: 'shorturl', url: '', format: 'simple' }),
    )
    expect([failed.statusCode, failed.body]).toEqual([400, ''])
  })

  test('PrivateBin: form POST', async ({ owner, request }) => {
    const fields = { signature: owner.key, format: 'json', action: 'shorturl', url }
    const data = (await request(asForm(fields))).json()
    expect(Number.parseInt(data.statusCode, 10)).toBe(200)
    expect(data.shorturl).toMatch(/^http:\/\/brev\.test\//)
  })

  test('yourls-python: GET of every action, with a user name', async ({ make, request }) => {
    const owner = await make.owner()
    const sendCall = async (fields: Record<string, string>) => {
      const allFields = { username: 'me', password: owner.key, format: 'json', ...fields }
      return (await request(asQuery(allFields))).json()
    }
    const created = await sendCall({ action: 'shorturl', url, keyword: 'py', title: 'Python' })
    expect(created).toMatchObject({ url: { keyword: 'py', url, title: 'Python' }, title: 'Python' })
    expect((await sendCall({ action: 'expand', shorturl: 'py' })).longurl).toBe(url)
    const { link } = await sendCall({ action: 'url-stats', shorturl: 'py' })
    expect(Object.keys(link).sort()).toEqual(
      ['clicks', 'ip', 'shorturl', 'timestamp', 'title', 'url'].sort(),
    )
    const { links, stats } = await sendCall({
      action: 'stats',
      filter: 'last',
      limit: '5',
      start: '0',
    })
    expect(links.link_1).toMatchObject({ shorturl: created.shorturl })
    expect(Number(stats.total_links)).toBe(1)
    expect((await sendCall({ action: 'db-stats' }))['db-stats'].total_clicks).toBe('0')
  })

  test('pyourls3: form POST, with the error code of a taken keyword', async ({
    owner,
    request,
  }) => {
    const fields = { username: 'me', password: owner.key, format: 'json', action: 'shorturl', url }
    const sendCall = async (keywordFields: object) =>
      (await request(asForm({ ...fields, ...keywordFields }))).json()
    const created = await sendCall({ keyword: 'py3' })
    expect(created).toMatchObject({ status: 'success', message: `${url} added to database` })
    expect(await sendCall({ keyword: 'py3', url: 'https://example.com/other' })).toMatchObject({
      status: 'fail',
      code: 'error:keyword',
    })
    expect(await sendCall({ keyword: 'py3' })).toMatchObject({
      code: 'error:url',
      url: { keyword: 'py3' },
    })
  })

  test('a browser extension: form POST from another origin', async ({ make, owner, request }) => {
    await make.link(await make.owner(), { alias: 'extension' })
    const fields = { signature: owner.key, format: 'json', action: 'shorturl', url }
    const call = asForm({ ...fields, keyword: 'extension' })
    const origin = 'chrome-extension://abcdefghijklmnopabcdefghijklmnop'
    const reply = await request({ ...call, headers: { ...call.headers, origin } })
    expect(reply.headers['access-control-allow-origin']).toBe('*')
    expect(reply.headers['access-control-expose-headers']).toContain('X-RateLimit-Remaining')
    expect(reply.json().message).toContain('already exists')
    const preflight = await request({
      method: 'OPTIONS',
      url: '/yourls-api.php',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type',
      },
    })
    expect(preflight.statusCode).toBe(204)
    expect(preflight.headers['access-control-allow-origin']).toBe('*')
    expect(preflight.headers['access-control-allow-headers']).toContain('Content-Type')
    expect(preflight.headers['x-ratelimit-limit']).toBe('1000000')
  })

  test('yourls-api: JSON, and JSONP with a callback', async ({ owner, request }) => {
    const fields = { signature: owner.key, action: 'shorturl', url, title: '</script>\u2028' }
    const jsonReply = await request(asJson({ ...fields, format: 'json' }))
    expect(jsonReply.json()).toMatchObject({ status: 'success', title: '</script>\u2028'.trim() })
    const callback = '__yourls1700000000000_jsonp'
    const reply = await request(asQuery({ ...fields, format: 'jsonp', callback }))
    expect(reply.headers['content-type']).toBe('application/javascript; charset=utf-8')
    expect(reply.headers['x-content-type-options']).toBe('nosniff')
    const received: unknown[] = []
    runInNewContext(reply.body, { [callback]: (data: unknown) => received.push(data) })
    expect(received).toEqual([expect.objectContaining({ status: 'success', callback })])
  })

  test('better-yourls: format names in capitals', async ({ owner, request }) => {
    const fields = { signature: owner.key, action: 'shorturl', url, format: 'JSON' }
    expect((await request(asQuery(fields))).json().shorturl).toMatch(/^http:\/\/brev\.test\//)
  })

  test('a client that appends to a URL with a trailing slash', async ({ owner, request }) => {
    const { url: path } = asQuery({ signature: owner.key, action: 'version', format: 'simple' })
    expect((await request({ url: `/${path}` })).body).toBe('1.10')
  })
})

describe('the parameters', () => {
  test('may be a form, multipart, JSON or the query, with precedence for the body', async ({
    owner,
    request,
  }) => {
    const query = { signature: 'wrong', action: 'version', format: 'simple' }
    for (const encode of [asForm, asMultipart, asJson]) {
      const reply = await request(encode({ signature: owner.key, format: 'json' }, query))
      expect(reply.json()).toEqual({ version: '1.10' })
    }
  })

  test('may be numbers and other types in JSON, but not files in multipart', async ({
    owner,
    request,
  }) => {
    const fields = { signature: owner.key, format: 'json', action: 'stats', limit: 1, title: [{}] }
    expect((await request(asJson(fields))).json()).toMatchObject({ message: 'success' })
    const call = asMultipart({ signature: owner.key, format: 'json', action: 'version' })
    const payload = String(call.payload).replace('name="action"', 'name="action"; filename="a"')
    expect((await request({ ...call, payload })).json()).toMatchObject({ errorCode: '400' })
  })

  test.for([
    ['application/json', '{"signature":'],
    ['application/json', '"text"'],
    ['application/json', 'null'],
    ['multipart/form-data', 'no boundary'],
    ['multipart/form-data; boundary=x', '--x\r\nnonsense'],
    [
      'multipart/form-data; boundary=x',
      `${'--x\r\ncontent-disposition: form-data; name="a"\r\n\r\n\r\n'.repeat(65)}--x--\r\n`,
    ],
  ] as const)(
    'in an invalid body of type %s are rejected: %.40s',
    async ([type, payload], { request, owner }) => {
      const headers = { 'content-type': type }
      const message = 'The request could not be understood.'
      for (const signature of [owner.key, 'wrong']) {
        const call = asQuery({ signature, format: 'json', action: 'version' })
        const reply = await request({ ...call, method: 'POST', headers, payload })
        expect(reply.statusCode).toBe(400)
        expect(reply.json()).toEqual({ status: 'fail', message, errorCode: '400' })
      }
    },
  )

  test('are rejected if they exceed 64 KiB', async ({ owner, request }) => {
    const fields = { signature: owner.key, format: 'json', action: 'shorturl', url, title: '' }
    const reply = await request(
      asForm({ ...fields, title: 'x'.repeat(65_536) }, { format: 'json' }),
    )
    expect(reply.statusCode).toBe(413)
    expect(reply.json()).toMatchObject({ message: 'The request body is too large.' })
    expect(reply.headers['x-ratelimit-limit']).toBe('1000000')
  })
})

describe('the format', () => {
  test('is XML by default', async ({ make, owner, request }) => {
    const title = 'a & <b>\u0007'
    const created = await request(asQuery({ signature: owner.key, action: 'shorturl', url, title }))
    expect(created.headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(created.body).toMatch(/^<\?xml version="1.0" encoding="UTF-8"\?><root>/)
    expect(parseYourlsXml(created.body)).toMatchObject({
      status: 'success',
      code: '',
      statusCode: '200',
      url: { url, title: 'a & <b>\uFFFD' },
    })
    const otherOwner = await make.owner()
    await make.link(otherOwner)
    await make.link(otherOwner)
    const stats = await request(asQuery({ signature: otherOwner.key, action: 'stats', limit: '2' }))
    expect(parseYourlsXml(stats.body)).toMatchObject({
      links: { link_1: { clicks: '0' }, link_2: { clicks: '0' } },
      stats: { total_links: '2', total_clicks: '0' },
    })
  })

  test('is plain text if simple or unknown', async ({ make, owner, request }) => {
    await make.link(owner, { alias: 'bare' })
    const sendCall = (fields: Record<string, string>) =>
      request(asQuery({ signature: owner.key, format: 'simple', ...fields }))
    const formatRequired = 'Need either XML or JSON format for stats'
    for (const [fields, status, body] of [
      [{ action: 'expand', shorturl: 'bare' }, 200, 'https://example.com/target'],
      [{ action: 'expand', shorturl: 'none' }, 404, 'not found'],
      [{ action: 'url-stats', shorturl: 'bare' }, 200, formatRequired],
      [{ action: 'stats', limit: '1' }, 200, formatRequired],
      [{ action: 'db-stats' }, 200, formatRequired],
      [{ action: 'version', format: 'yaml' }, 200, '1.10'],
      [{ action: 'version', signature: 'wrong' }, 403, 'Invalid signature'],
      [{ action: 'nothing' }, 400, 'Unknown or missing "action" parameter'],
    ] as const) {
      const reply = await sendCall(fields)
      expect([reply.statusCode, reply.body]).toEqual([status, body])
      expect(reply.headers['content-type']).toBe('text/plain; charset=utf-8')
    }
  })

  test.for(['', 'alert(1)//', 'a b', 'a.', 'a;b', '1a', 'x'.repeat(201), '\u00e4'])(
    'jsonp rejects the callback %j',
    async (callback, { owner, request }) => {
      const call = asQuery({ signature: owner.key, action: 'version', format: 'jsonp', callback })
      const reply = await request(call)
      expect(reply.statusCode).toBe(400)
      expect(reply.headers['content-type']).toBe('application/json; charset=utf-8')
      expect(reply.json()).toEqual({
        status: 'fail',
        message: 'callback must be the name of a JavaScript function',
        errorCode: '400',
      })
    },
  )

  test.for(['a.b.c', '$', 'jQuery1[0]', 'x_1'])(
    'jsonp accepts the callback %s',
    async (callback, { owner, request }) => {
      const call = asQuery({ signature: owner.key, action: 'version', format: 'jsonp', callback })
      const data = JSON.stringify({ version: '1.10', callback })
      expect((await request(call)).body).toBe(`/**/${callback}(${data})`)
    },
  )
})
