import { describe, expect, onTestFinished } from 'vitest'
import { commandLine, runCommand } from '../support/command.ts'
import { type MockReply, type MockRequest, openMockApi } from '../support/mock-api.ts'
import { createFile, createTransferCommands, transferTest } from '../support/transfer.ts'

const target = 'https://example.com/x'

const test = transferTest().extend('importApi', ({ app, make }) => {
  /** Imports from a mock API, whose URL has the path. Returns the owner and the result. */
  return async (source: string, reply: (request: MockRequest) => MockReply, path = '') => {
    const owner = await make.owner()
    const site = await openMockApi(reply)
    onTestFinished(site.close)
    const env = { ...commandLine(app).settings(), OUTBOUND_ALLOW: '127.0.0.0/8', IMPORT_TOKEN: 'k' }
    const args = ['--from', source, '--account', owner.account.email, '--json']
    const { stdout, stderr } = await runCommand(['import', site.origin + path, ...args], { env })
    return { owner, result: stdout === '' ? stderr : JSON.parse(stdout) }
  }
})

const list = (links: { alias: string }[]) => links.map(({ alias }) => alias).toSorted()

describe('an alias with slashes or dots', () => {
  test.for<[name: string, header: string, cells: string, alias: string, domain?: string]>([
    ['as keyword of YOURLS', 'keyword,url', 'book/1', 'book/1'],
    ['as short code of Shlink', 'Short code,Long URL', 'video/2', 'video/2'],
    ['as path of Short.io', 'Path,Original URL', '/blog/post.html', 'blog/post.html'],
    ['like a host', 'slug,url', 'bit.ly/abc', 'bit.ly/abc'],
    ['like a host in a path', 'source,target', '/v1.2/doc', 'v1.2/doc'],
    ['without a host in a column for short URLs', 'Short URL,url', 'book/3', 'book/3'],
    ['after the host of a short URL', 'Short link,url', 'bit.ly/tag/ya', 'tag/ya'],
    ['in a short URL', 'Short URL,url', 'https://sho.rt/sub/a.b', 'sub/a.b'],
    ['as short URL in the column of aliases', 'keyword,url', 'https://bit.ly/x/y', 'x/y'],
    ['after the service’s host', 'slug,url', 'brev.test/own/1', 'own/1'],
    ['after the row’s host', 'slug,url,domain', 'go.example/row/1', 'row/1', 'go.example'],
  ])(
    'is imported as written: %s',
    async ([, header, cells, alias, domain], { app, make, request }) => {
      const owner = await make.owner()
      const row = `${cells},${target}/${owner.account.id}${domain ? `,${domain}` : ''}`
      const file = await createFile(`${header}\n${row}\n`)
      const result = await createTransferCommands(app, owner).import(file, 'csv')
      expect(result).toMatchObject({ created: 1, refused: 0, notices: [] })
      const reply = await request({ url: `/${alias}` })
      expect(reply.headers.location).toBe(`${target}/${owner.account.id}`)
    },
  )

  test('does not collide with others that end alike', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const file = await createFile(`keyword,url\nbooks/9,${target}/b\nvideos/9,${target}/v\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 2, taken: 0, refused: 0 })
    expect(list(await listUrls(owner))).toEqual(['books/9', 'videos/9'])
  })

  test('is rejected with its name if it cannot be an alias', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const aliases = ['a//b', 'a/../b', './a', 'a/', '.a', 'a.', 'api/x', '1/2/3/4/5/6/7/8/9', 'a b']
    const lines = aliases.map((alias) => `${alias},${target}`)
    const file = await createFile(['keyword,url', ...lines, ''].join('\n'))
    const { problems, ...counts } = await createTransferCommands(app, owner).import(file, 'csv')
    expect(counts).toMatchObject({ created: 0, refused: aliases.length })
    expect(problems.map(({ alias }: { alias: string }) => alias)).toEqual(aliases)
    expect(await listUrls(owner)).toEqual([])
  })

  test('is the whole path below the folder of YOURLS', async ({ importApi, listUrls }) => {
    const paths = ['ya', 'kw/ya', 'a/../b', 'c%2Fd']
    const links = paths.map((path) => ({ shorturl: `https://sho.rt/sub/${path}`, url: target }))
    const reply = () => ({ links: Object.fromEntries(links.entries()), statusCode: 200 })
    const { owner, result } = await importApi('yourls', reply, '/sub/yourls-api.php')
    expect(result).toMatchObject({ created: 3, refused: 1 })
    expect(result.problems).toMatchObject([{ row: 3, alias: 'a/../b' }])
    expect(list(await listUrls(owner))).toEqual(['c/d', 'kw/ya', 'ya'])
  })
})

describe('a link with several names', () => {
  test('of Bitly is imported with each of them', async ({ app, make, request, listUrls }) => {
    const owner = await make.owner()
    const header = 'Link,Custom Link,Long URL,Engagements'
    const custom = '"https://bit.ly/names-a, bit.ly/names-b"'
    const rows = [
      `https://bit.ly/names-3x,${custom},${target},7`,
      `https://bit.ly/names-3y,https://bit.ly/names-3y,${target},2`,
      `https://bit.ly/names-3z,https://bit.ly/a?b=1,${target},1`,
    ]
    const file = await createFile([header, ...rows, ''].join('\n'))
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ rows: 3, created: 5, clicks: 10, refused: 0 })
    expect(result.notices).toEqual([
      'Row 4 (names-3z): imported without this value: "Custom Link" is not a short URL: https://bit.ly/a?b=1',
    ])
    const names = ['names-3x', 'names-3y', 'names-3z', 'names-a', 'names-b']
    expect(list(await listUrls(owner))).toEqual(names)
    for (const name of names) expect((await request({ url: `/${name}` })).statusCode).toBe(302)
  })

  test('in two columns of aliases is imported with both', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const file = await createFile(`Slug,Back-half,Long URL\ntwo-1,two/2,${target}\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ rows: 1, created: 2, refused: 0, unused: [] })
    expect(list(await listUrls(owner))).toEqual(['two-1', 'two/2'])
  })

  test('of Bitly has a back-half and a generated name', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const header = 'Bitlink,Custom back-halves,Long URL,Total engagements'
    const file = await createFile(`${header}\nbit.ly/half-3x,half-a|half-b,${target},4\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ rows: 1, created: 3, clicks: 4, refused: 0, notices: [] })
    expect(list(await listUrls(owner))).toEqual(['half-3x', 'half-a', 'half-b'])
  })

  test('lists the names that cannot be imported', async ({ app, make }) => {
    const owner = await make.owner()
    const row = `https://bit.ly/part-1,bit.ly/api,${target}`
    const file = await createFile(`Link,Custom Link,Long URL\n${row}\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ rows: 1, created: 1, refused: 1 })
    expect(result.problems).toMatchObject([{ row: 2, alias: 'api' }])
  })

  test.for([
    [
      'Slashtag,Short URL,Domain,Destination',
      `agreed,https://rebrand.ly/agreed,rebrand.ly,${target}`,
    ],
    ['Slug,Source,Destination', `agreed-too,api,${target}`],
    ['Slug,Link,Destination', `agreed-link,bit.ly/agreed-link,${target}`],
  ] as const)('has one name if its columns agree: %s', async ([header, row], { app, make }) => {
    const owner = await make.owner()
    const file = await createFile(`${header}\n${row}\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 1, refused: 0, notices: [] })
  })

  test('has none for the host alone, nor for texts that say so', async ({
    app,
    make,
    listUrls,
  }) => {
    const owner = await make.owner()
    const rows = [
      `bit.ly,,${target}`,
      `bit.ly/host-1,"[""bit.ly/host-2"",""host-3""]",${target}`,
      `bit.ly/host-4,null,${target}`,
      `/host-5.pdf,-,${target}`,
    ]
    const file = await createFile(['Bitlink,Custom bitlinks,Long URL', ...rows, ''].join('\n'))
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 5, refused: 1, notices: [] })
    expect(result.problems).toEqual([
      { row: 2, alias: 'bit.ly', problem: '"Bitlink" is not a short URL: bit.ly' },
    ])
    const names = ['host-1', 'host-2', 'host-3', 'host-4', 'host-5.pdf']
    expect(list(await listUrls(owner))).toEqual(names)
    const own = await createFile(`slug,url\nbrev.test,${target}\n`)
    const { problems } = await createTransferCommands(app, owner).import(own, 'csv')
    expect(problems[0].problem).toBe('"slug" is not a short URL: brev.test')
  })

  test('with a click limit is imported with its first name', async ({ app, make }) => {
    const owner = await make.owner()
    const row = `https://bit.ly/limit-1,bit.ly/limit-2,${target},5`
    const file = await createFile(`Link,Custom Link,Long URL,Max clicks\n${row}\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 1, refused: 1 })
    expect(result.problems).toMatchObject([
      { alias: 'limit-1', problem: expect.stringContaining('click limit') },
    ])
  })
})

describe('Shlink’s redirect rules', () => {
  const conditions = {
    ios: { type: 'device', matchKey: null, matchValue: 'ios' },
    german: { type: 'language', matchKey: null, matchValue: 'de' },
    campaign: { type: 'query-param', matchKey: 'c', matchValue: '1' },
    address: { type: 'ip-address', matchKey: null, matchValue: '192.0.2.1' },
  }
  const createReply =
    (rules: Record<string, object[]>) =>
    ({ path }: MockRequest): MockReply => {
      const [, code = ''] = /short-urls\/([^/]+)\/redirect-rules/.exec(path) ?? []
      if (code) return { defaultLongUrl: target, redirectRules: rules[code] ?? [] }
      const data = Object.keys(rules).map((shortCode) => ({
        shortCode,
        longUrl: target,
        hasRedirectRules: true,
        ...(shortCode === 'sh-old' && {
          deviceLongUrls: { ios: null, android: 'https://old.example/' },
        }),
      }))
      return { shortUrls: { data, pagination: { pagesCount: 1 } } }
    }

  test('are imported in the order of their priority', async ({ importApi, request, listUrls }) => {
    const { owner, result } = await importApi(
      'shlink',
      createReply({
        'sh-rules': [
          { longUrl: 'https://b.example/', priority: 2, conditions: [conditions.campaign] },
          {
            longUrl: 'https://a.example/',
            priority: 1,
            conditions: [conditions.ios, conditions.german],
          },
        ],
        'sh-old': [],
      }),
    )
    expect(result).toMatchObject({ created: 2, refused: 0, notices: [] })
    const details = async (alias: string) => {
      const link = (await listUrls(owner)).find((each: { alias: string }) => each.alias === alias)
      const reply = await request({ url: `/api/url/${link.id}`, headers: owner.headers })
      return reply.json().details.rules
    }
    expect(await details('sh-rules')).toEqual([
      { when: { device: 'iphone', language: 'de' }, to: 'https://a.example/' },
      { when: { device: 'ipad', language: 'de' }, to: 'https://a.example/' },
      { when: { query: { c: '1' } }, to: 'https://b.example/' },
    ])
    expect(await details('sh-old')).toEqual([
      { when: { device: 'android' }, to: 'https://old.example/' },
    ])
  })

  test('reject the link, which is named, if a condition is unknown', async ({ importApi }) => {
    const rule = { longUrl: 'https://b.example/', priority: 1, conditions: [conditions.address] }
    const { result } = await importApi('shlink', createReply({ 'sh-address': [rule] }))
    expect(result).toMatchObject({ created: 0, refused: 1 })
    expect(result.problems).toEqual([
      {
        row: 1,
        alias: 'sh-address',
        problem: 'redirectRules[0] has a condition that cannot be imported: ip-address',
      },
    ])
  })
})

test.for<[source: string, link: object]>([
  ['kutt', { address: 'restricted', target, password: 'yes' }],
  ['kutt', { address: 'restricted', target, max_visits: 3 }],
  ['kutt', { address: 'restricted', target, expire_in: 'tomorrow' }],
  ['bitly', { link: 'https://bit.ly/restricted', long_url: target, deeplinks: [{ os: 'ios' }] }],
  ['bitly', { link: 'https://bit.ly/restricted', long_url: target, password_protected: true }],
  ['shlink', { shortCode: 'restricted', longUrl: target, meta: { maxUses: 3 } }],
  ['yourls', { shorturl: 'https://sho.rt/restricted', url: target, password: 'x' }],
])(
  '%s rejects a link with a restriction that cannot be imported: %j',
  async ([source, link], { importApi }) => {
    const { result } = await importApi(source, ({ path }) => {
      if (path === '/v4/groups') return { groups: [{ guid: 'G' }] }
      return { data: [link], links: [link], shortUrls: { data: [link], pagination: {} } }
    })
    expect(result).toMatchObject({ created: 0, refused: 1 })
    expect(result.problems[0].alias).toContain('restricted')
  },
)

test('a bad date or count of an API costs the value, not the link', async ({ importApi }) => {
  const link = { address: 'decor', target, created_at: 'soon', visit_count: '1.234' }
  const { result } = await importApi('kutt', () => ({ data: [link] }))
  expect(result).toMatchObject({ created: 1, refused: 0, noticed: 2 })
})

test.for(['Forward params', 'param_forwarding', 'forwardQuery', 'Forward parameters'])(
  'a column %s decides whether links forward the query',
  async (column, { app, make, request }) => {
    const owner = await make.owner()
    const [on, off] = [`on${owner.account.id}`, `off${owner.account.id}`]
    const file = await createFile(
      `slug,url,${column}\n${on},${target},on\n${off},${target},FALSE\n`,
    )
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 2, unused: [] })
    const visit = async (alias: string) =>
      (await request({ url: `/${alias}?a=1` })).headers.location
    expect(await visit(on)).toBe(`${target}?a=1`)
    expect(await visit(off)).toBe(target)
  },
)
