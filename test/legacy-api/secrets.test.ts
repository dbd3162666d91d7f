import { beforeEach, describe, expect } from 'vitest'
import { base64, callLegacyApi } from '../support/legacy-api.ts'
import { appTest } from '../support/test.ts'

let lines: string[] = []

const logTo = { write: (line: string) => void lines.push(line) }

const test = appTest({ env: { LOG_LEVEL: 'trace' }, logTo }).extend(
  'log',
  { scope: 'file' },
  ({ owner }) => {
    /** Expects that the log lines contain no secrets, and returns them. */
    function expectNoSecrets(): string[] {
      const log = lines.join('')
      for (const secret of [
        owner.key,
        owner.key.slice(4, 20),
        password,
        base64('https://example.com/'),
      ])
        expect(log).not.toContain(secret)
      return lines
    }
    return { expectNoSecrets }
  },
)

beforeEach(() => {
  lines = []
})

const password = 'hunter2-link-password'
const CREATE_PATH = `create/password/${password}/url/${base64('https://example.com/')}`

describe('keys and passwords do not appear in the log', () => {
  test.for([
    ['a success', 200, CREATE_PATH],
    ['a success in XML', 200, CREATE_PATH.replace('create', 'create/custom_url/xml')],
    ['a list', 200, 'list_active_urls'],
    ['an alias that is taken', 409, `create/custom_url/xml/${CREATE_PATH.slice(7)}`],
    ['an unknown parameter', 400, `create/passwort/${password}/url/YQ`],
    ['a value without its name', 400, `create/${password}/url/YQ`],
    ['an unknown operation', 404, `${password}/x`],
    ['an unknown link', 404, `info/short_url/${base64(`http://brev.test/${password}`)}`],
    ['a broken escape', 400, `create/password/${password}%zz/url/YQ`],
  ] as const)('for %s', async ([_name, status, path], { app, owner, log: { expectNoSecrets } }) => {
    const reply = await callLegacyApi(app, owner.key, `${path}.json`)
    expect(reply.statusCode).toBe(status)
    expect(reply.body).not.toContain(owner.key)
    expect(reply.body).not.toContain(password)
    expect(JSON.stringify(reply.headers)).not.toContain(owner.key)
    expectNoSecrets()
  })

  test('even if every request is logged', async ({ app, owner, log: { expectNoSecrets } }) => {
    await callLegacyApi(app, owner.key, `${CREATE_PATH}.json`)
    const logged = expectNoSecrets().map((line) => JSON.parse(line))
    expect(logged).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ method: 'GET', path: '/api/v1/…', status: 200 }),
      ]),
    )
  })

  test.for([
    ['HEAD', (key: string) => `/api/v1/${key}/shorturl/${CREATE_PATH}.json`],
    ['POST', (key: string) => `/api/v1/${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `//api/v1/${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/API/v1/${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/%61pi/v1/${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/api/v1//${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/api/v1/${key}/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/api/v1/${key}`],
    ['GET', (key: string) => `/v1/${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/base/api/v1/${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/${key}/shorturl/${CREATE_PATH}.json`],
    ['GET', () => `/shorturl/${CREATE_PATH}.json`],
    ['GET', (key: string) => `/${key}`],
    ['GET', (key: string) => `/api/${key}`],
    ['GET', (key: string) => `/v1/${key}/%zz`],
    ['GET', (key: string) => `/api/urls?key=${key}`],
    ['GET', (key: string) => `/api/v1/%2562rv_${key.slice(4)}`],
    ['GET', (key: string) => `/api/%2562rv_${key.slice(4)}`],
    ['GET', (key: string) => `/x/%25252562rv_${key.slice(4)}/%zz`],
    ['POST', (key: string) => `/yourls-api.php/%2562rv_${key.slice(4)}`],
  ] as const)(
    'for %s on an unusual path: %o',
    async ([method, path], { owner, request, log: { expectNoSecrets } }) => {
      const reply = await request({ method, url: path(owner.key) })
      expect(reply.body).not.toContain(owner.key)
      expect(reply.headers['referrer-policy'] ?? 'json').toMatch(/^no-referrer$|^json$/)
      expect(lines).not.toEqual([])
      expectNoSecrets()
    },
  )

  test.for([
    ['/api/url/add', 'application/json'],
    ['/yourls-api.php', 'application/json'],
    ['/yourls-api.php', 'application/x-www-form-urlencoded'],
    ['/yourls-api.php', 'multipart/form-data; boundary=x'],
    ['/console/sign-in', 'application/x-www-form-urlencoded'],
  ] as const)(
    'for a malformed body to %s as %s',
    async ([url, type], { owner, request, log: { expectNoSecrets } }) => {
      for (const body of [`"signature":"${owner.key}"`, `%zz=&signature=${owner.key}`]) {
        const reply = await request({
          method: 'POST',
          url,
          payload: `${body}&password=${password}`,
          headers: { 'content-type': type },
        })
        expect(reply.body).not.toContain(owner.key)
      }
      expect(lines).not.toEqual([])
      expectNoSecrets()
    },
  )

  test('in case of an internal error', async ({ app, owner, log: { expectNoSecrets } }) => {
    const { db } = app.services.database
    await db.schema.alterTable('links').renameTo('links_away').execute()
    const reply = await callLegacyApi(app, owner.key, `${CREATE_PATH}.json`)
    await db.schema.alterTable('links_away').renameTo('links').execute()
    expect(reply.statusCode).toBe(500)
    expect(reply.json().data.message).toBe('Something went wrong on our side. Please retry later.')
    expect(expectNoSecrets().join('')).toContain('a request failed')
  })
})

test('the referrer of a visit from a reply shown in a browser does not reveal the key', async ({
  app,
  make,
  owner,
  request,
  log: { expectNoSecrets },
}) => {
  const { alias } = await make.link(owner, { password })
  const referer = `http://brev.test/api/v1/${owner.key}/shorturl/list_active_urls.xml`
  await request({ url: `/${alias}`, headers: { referer } })
  await request({
    method: 'POST',
    url: `/${alias}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded', referer },
    payload: `password=${password}`,
  })
  await app.importClicks()
  const labels = await app.services.database.db.selectFrom('labels').selectAll().execute()
  expect(JSON.stringify(labels)).not.toContain(owner.key)
  expectNoSecrets()
})

test('no metric contains a key, a password or a path', async ({ app, owner, request }) => {
  await callLegacyApi(app, owner.key, `${CREATE_PATH}.json`)
  const { body } = await request({ url: '/metrics', remoteAddress: '127.0.0.1' })
  expect(body).toContain('brevis_')
  expect(body).not.toContain(owner.key)
  expect(body).not.toContain(password)
  expect(body).not.toContain('/api/v1')
})
