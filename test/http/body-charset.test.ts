import { describe, expect } from 'vitest'
import { appTest } from '../support/test.ts'

const JSON_TYPE = 'application/json'
const FORM_TYPE = 'application/x-www-form-urlencoded'
const latin1 = (text: string) => Buffer.from(text, 'latin1')

const test = appTest().extend('post', { scope: 'file' }, ({ request, owner }) => {
  const post = (url: string, type: string | undefined, payload: Buffer | string) =>
    request({
      method: 'POST',
      url,
      headers: {
        ...(url.startsWith('/api') && owner.headers),
        ...(type && { 'content-type': type }),
      },
      payload,
    })
  return post
})

describe('POST /api/url/add', () => {
  const body = (title: string) => `{"url":"https://example.com/","metatitle":"${title}"}`

  test.for([
    [JSON_TYPE, 400, 'The request body must be UTF-8 text.'],
    ['text/plain', 400, 'The request body must be UTF-8 text.'],
    [undefined, 400, 'The request body must be UTF-8 text.'],
    ['application/json; charset=utf-8', 400, 'The request body must be UTF-8 text.'],
    ['application/json; charset=iso-8859-1', 415, 'set it to utf-8'],
    ['application/json;Charset="windows-1252"', 415, 'set it to utf-8'],
    ['text/plain; charset=us-ascii', 415, 'set it to utf-8'],
    ['application/json; charset=utf-16', 415, 'set it to utf-8'],
  ] as const)(
    'rejects the byte E9 as %s with %i, and stores nothing',
    async ([type, status, message], { app, post }) => {
      const count = () =>
        app.services.database.db
          .selectFrom('links')
          .select(({ fn }) => fn.countAll<string>().as('links'))
          .executeTakeFirstOrThrow()
      const before = await count()
      const reply = await post('/api/url/add', type, latin1(body('Café')))
      expect([reply.statusCode, reply.json()]).toEqual([
        status,
        { error: 1, message: expect.stringContaining(message) },
      ])
      expect(await count()).toEqual(before)
    },
  )

  test.for([
    JSON_TYPE,
    'application/json; charset=utf-8',
    'application/json;charset=UTF8',
    'application/json; charset="Utf-8"; x=y',
    'text/plain; charset=utf-8',
    undefined,
  ])('accepts UTF-8 as %s, with or without a byte order mark', async (type, { app, post }) => {
    for (const text of [body('Café 日本 👍'), `\ufeff${body('Café 日本 👍')}`]) {
      const reply = await post('/api/url/add', type, Buffer.from(text))
      expect(reply.statusCode, reply.body).toBe(200)
      const link = await app.services.database.db
        .selectFrom('links')
        .select('meta_title')
        .where('id', '=', reply.json().id)
        .executeTakeFirst()
      expect(link).toEqual({ meta_title: 'Café 日本 👍' })
    }
  })
})

describe('the YOURLS API', () => {
  const call = (signature: string) => `action=shorturl&format=json&signature=${signature}&url=`
  const url = 'https://example.com/'

  test('rejects text that is not UTF-8 in the query, a form, JSON or multipart', async ({
    owner,
    post,
    request,
  }) => {
    const form = call(owner.key) + url
    const field = (name: string, value: string) =>
      `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
    const multipart =
      field('action', 'shorturl') +
      field('signature', owner.key) +
      field('format', 'json') +
      field('url', url)
    const multipartType = 'multipart/form-data; boundary=xyz'
    const json = (title: string) =>
      JSON.stringify({ action: 'shorturl', format: 'json', signature: owner.key, url, title })
    const api = '/yourls-api.php'
    for (const reply of [
      await request({ url: `${api}?${form}&title=%E9` }),
      await request({ url: `${api}?${form}&title=%C3%A9%ff` }),
      await post(api, FORM_TYPE, latin1(`${form}&title=é`)),
      await post(api, FORM_TYPE, `${form}&title=%E9`),
      await post(api, JSON_TYPE, latin1(json('é'))),
      await post(api, multipartType, latin1(`${multipart}${field('title', 'é')}--xyz--\r\n`)),
    ]) {
      expect(reply.statusCode, reply.body).toBe(400)
    }
    for (const type of [`${FORM_TYPE}; charset=iso-8859-1`, `${JSON_TYPE}; charset=latin1`]) {
      const payload = type.startsWith(JSON_TYPE) ? json('a') : form
      expect((await post(api, type, payload)).statusCode).toBe(415)
    }
    for (const reply of [
      await request({ url: `${api}?${form}&title=%C3%A9` }),
      await post(api, `${FORM_TYPE}; charset=utf-8`, `${form}&title=%C3%A9`),
      await post(api, FORM_TYPE, Buffer.from(`${form}&title=é`)),
      await post(api, JSON_TYPE, json('é')),
      await post(
        api,
        multipartType,
        `${multipart}${field('title"\r\nContent-Type: text/plain; charset="utf-8', 'é')}--xyz--\r\n`,
      ),
    ]) {
      expect([reply.statusCode, reply.json().url?.title], reply.body).toEqual([200, 'é'])
    }
  })
})

describe('the form of a link', () => {
  test('accepts a password in UTF-8 only', async ({ make, owner, post }) => {
    const { alias } = await make.link(owner, { password: 'pässwörd' })
    const answers = [
      [FORM_TYPE, 'password=p%C3%A4ssw%C3%B6rd', 303],
      [FORM_TYPE, Buffer.from('password=pässwörd'), 303],
      [`${FORM_TYPE}; charset=UTF-8`, 'password=p%C3%A4ssw%C3%B6rd', 303],
      [FORM_TYPE, 'password=p%E4ssw%F6rd', 400],
      [FORM_TYPE, latin1('password=pässwörd'), 400],
      [FORM_TYPE, 'password=%zz', 401],
      [`${FORM_TYPE}; charset=windows-1252`, 'password=x', 415],
    ] as const
    for (const [type, payload, status] of answers) {
      const reply = await post(`/${alias}`, type, payload)
      expect(reply.statusCode, String(payload)).toBe(status)
    }
  })
})

test.for([
  ['/api/urls?q=%E9', 400],
  ['/api/urls?q=caf%e9&limit=1', 400],
  ['/api/urls?tag=%C3%A9%ff', 400],
  ['/api/qr?name=%E9', 400],
  ['/api/url/%E9', 400],
  ['/api/urls?q=%C3%A9', 200],
  ['/api/urls?q=50%zz', 200],
] as const)('%s returns %i, because URLs are UTF-8', async ([url, status], { request, owner }) => {
  const reply = await request({ url, headers: owner.headers })
  expect(reply.statusCode, reply.body).toBe(status)
  if (status === 400 && url.includes('?'))
    expect(reply.json()).toMatchObject({ message: 'The URL must be UTF-8 text.' })
})
