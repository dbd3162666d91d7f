import { describe, expect } from 'vitest'
import { setSuspended } from '../support/accounts.ts'
import { signIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

const ANDROID = '/.well-known/assetlinks.json'
const APPLE = '/.well-known/apple-app-site-association'
const target =
  '{"namespace": "android_app", "package_name": "com.example", "sha256_cert_fingerprints": ["14:6D"]}'
const statements = `[{"relation": ["delegate_permission/common.handle_all_urls"], "target": ${target}}]\n`
const association = '{"applinks": {"details": [{"appIDs": ["ABCDE12345.com.example"]}]}}'

/** Returns an empty list of statements, as JSON padded to `bytes` bytes. */
const createPaddedJson = (bytes: number) => `[${' '.repeat(bytes - 2)}]`

const test = appTest().extend(
  'update',
  { scope: 'file' },
  ({ request }) =>
    async ({ headers }: { headers: Record<string, string> }, id: number, payload: object) =>
      request({ method: 'PUT', url: `/api/domain/${id}/update`, headers, payload }),
)

describe('a branded domain', () => {
  test('serves its app links without a redirect', async ({ make, request, update }) => {
    const owner = await make.owner()
    const { id, host } = await make.domain(owner, { redirect404: 'https://example.com/404' })
    const payload = { assetlinks: statements, appsiteassociation: association }
    expect((await update(owner, id, payload)).statusCode).toBe(200)
    for (const [url, text] of [
      [ANDROID, statements],
      [APPLE, association],
    ]) {
      for (const method of ['GET', 'HEAD'] as const) {
        const reply = await request({ method, url, headers: { host } })
        expect([reply.statusCode, reply.headers['content-type'], reply.headers.location]).toEqual([
          200,
          'application/json',
          undefined,
        ])
        expect(reply.body).toBe(method === 'GET' ? text : '')
      }
    }
    const details = (await request({ url: `/api/domain/${id}`, headers: owner.headers })).json()
    expect(details.details).toMatchObject({ id, ...payload })
    const list = (await request({ url: '/api/domains', headers: owner.headers })).json()
    expect(list.data.domains[0]).not.toHaveProperty('assetlinks')
  })

  test('has no app links initially or after they are cleared', async ({
    make,
    request,
    update,
  }) => {
    const owner = await make.owner()
    const { id, host } = await make.domain(owner, { redirect404: 'https://example.com/404' })
    const status = async () => (await request({ url: ANDROID, headers: { host } })).statusCode
    expect(await status()).toBe(404)
    await update(owner, id, { assetlinks: statements })
    expect(await status()).toBe(200)
    await update(owner, id, { redirectroot: 'https://example.com/' })
    expect(await status()).toBe(200)
    await update(owner, id, { assetlinks: '' })
    expect(await status()).toBe(404)
  })

  test('can be created with app links', async ({ make, request }) => {
    const { headers } = await make.owner()
    const reply = await request({
      method: 'POST',
      url: '/api/domain/add',
      headers,
      payload: { domain: 'https://apps.example', assetlinks: statements },
    })
    expect(reply.json()).toMatchObject({ error: 0 })
    const file = await request({ url: ANDROID, headers: { host: 'apps.example' } })
    expect([file.statusCode, file.body]).toEqual([200, statements])
  })

  test('of a suspended account serves no app links', async ({ app, make, request }) => {
    const owner = await make.owner()
    const { host } = await make.domain(owner, { assetLinks: statements })
    const { services } = app
    await setSuspended(services, owner.account.id, true)
    expect((await request({ url: ANDROID, headers: { host } })).statusCode).toBe(404)
  })

  test.for([
    ['malformed JSON', '{', 'assetlinks must be valid JSON'],
    ['HTML', '<html></html>', 'assetlinks must be valid JSON'],
    ['one byte more than 64 KiB', createPaddedJson(65_537), /^assetlinks must /],
    [
      'a text whose UTF-8 encoding is longer than 64 KiB',
      `"${'é'.repeat(40_000)}"`,
      'assetlinks must be at most 64 KiB long',
    ],
  ] as const)('rejects %s', async ([_, assetlinks, message], { make, request, update }) => {
    const owner = await make.owner()
    const { id, host } = await make.domain(owner)
    const reply = await update(owner, id, { assetlinks })
    expect([reply.statusCode, reply.json().message]).toEqual([400, expect.stringMatching(message)])
    expect((await request({ url: ANDROID, headers: { host } })).statusCode).toBe(404)
  })

  test('accepts files of 64 KiB in both fields', async ({ make, request, update }) => {
    const owner = await make.owner()
    const { id, host } = await make.domain(owner)
    const escaped = association.replace('{', `{"x": "${'\\"'.repeat(32_000)}", `)
    const payload = { assetlinks: createPaddedJson(65_536), appsiteassociation: escaped }
    expect((await update(owner, id, payload)).statusCode).toBe(200)
    expect((await request({ url: APPLE, headers: { host } })).body).toBe(escaped)
  })
})

test.for([
  ['assetlinks', '{}', 'assetlinks must be a JSON array of statements'],
  ['assetlinks', 'null', 'assetlinks must be a JSON array of statements'],
  ['assetlinks', association, 'assetlinks must be a JSON array of statements'],
  ['assetlinks', '[1]', 'assetlinks [0] must be an object'],
  ['assetlinks', '[{"include": "https://a.example/"}, {}]', 'assetlinks [1] must have "relation"'],
  ['assetlinks', '[{"relation": "all", "target": {}}]', 'assetlinks [0] must have "relation"'],
  ['assetlinks', '[{"relation": ["all"]}]', 'assetlinks [0] must have a "target"'],
  [
    'assetlinks',
    '[{"relation": ["all"], "target": {"namespace": "android_app", "package_name": "a"}}]',
    'assetlinks [0] must have a "target"',
  ],
  ['appsiteassociation', '[]', 'appsiteassociation must be a JSON object with applinks'],
  ['appsiteassociation', '{"app": 1}', 'appsiteassociation must be a JSON object with applinks'],
  ['appsiteassociation', '{"applinks": {}}', 'appsiteassociation applinks must have "details"'],
  [
    'appsiteassociation',
    '{"applinks": {"details": [{"paths": ["*"]}]}}',
    'appsiteassociation applinks.details[0] must have "appIDs"',
  ],
  [
    'appsiteassociation',
    '{"applinks": {"details": [{"appID": "A.b", "paths": "*"}]}}',
    'appsiteassociation applinks.details[0].paths must be a list of texts',
  ],
  [
    'appsiteassociation',
    '{"webcredentials": {"apps": "A.b"}}',
    'appsiteassociation webcredentials must have "apps"',
  ],
] as const)(
  'PUT /api/domain/{id}/update rejects an invalid %s: %s',
  async ([field, text, message], { make, update }) => {
    const owner = await make.owner()
    const { id } = await make.domain(owner)
    const reply = await update(owner, id, { [field]: text })
    expect([reply.statusCode, reply.json().message]).toEqual([
      400,
      expect.stringContaining(message),
    ])
  },
)

test('a branded domain accepts all documented parts of the files', async ({ make, update }) => {
  const owner = await make.owner()
  const { id } = await make.domain(owner)
  const web = { namespace: 'web', site: 'https://a.example' }
  const details = [
    { appIDs: ['A.b'], components: [{ '/': '/buy/*', exclude: true }] },
    { appID: 'A.c', paths: ['*'] },
  ]
  const reply = await update(owner, id, {
    assetlinks: JSON.stringify([
      { include: 'https://a.example/' },
      { relation: ['x'], target: web },
    ]),
    appsiteassociation: JSON.stringify({
      applinks: { apps: [], details },
      webcredentials: { apps: ['A.b'] },
      appclips: { apps: [] },
    }),
  })
  expect(reply.statusCode).toBe(200)
})

test('other hosts have no app links', async ({ app, request }) => {
  for (const host of [new URL(app.baseUrl).host, 'unknown.example']) {
    for (const url of [ANDROID, APPLE]) {
      expect((await request({ url, headers: { host } })).statusCode).toBe(404)
    }
  }
})

test('the console shows and changes app links', async ({ app, make, request }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const { id, host } = await make.domain(owner)
  const page = `/console/domains/${id}`
  expect((await person.open(page)).body).toContain('<dt>Android app links</dt><dd>Not set</dd>')
  const lines = '{\r\n  "applinks": {"details": []}\r\n}\r\n'
  const saved = await person.send(page, { assetLinks: statements, appSiteAssociation: lines })
  expect(saved.statusCode).toBe(303)
  expect((await person.open(page)).body).toContain(`https://${host}${ANDROID}`)
  expect((await person.open(`${page}/edit`)).body).toContain('delegate_permission')
  expect((await request({ url: APPLE, headers: { host } })).body).toBe(
    '{\n  "applinks": {"details": []}\n}',
  )
  const rejection = await person.send(page, { assetLinks: '{' })
  expect(rejection.statusCode).toBe(422)
  expect(rejection.body).toContain('Must be valid JSON.')
})
