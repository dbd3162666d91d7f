import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { commandLine, runCommand } from '../support/command.ts'
import type { Owner } from '../support/make.ts'
import { createFile, transferTest } from '../support/transfer.ts'

const test = transferTest()

/** Runs `brevis shorten` for the content of a file. Returns the rows of its output. */
async function shorten(
  app: TestApp,
  owner: Owner,
  content: string | Uint8Array,
  ...args: string[]
) {
  const file = await createFile(content, 'list.txt')
  const { settings } = commandLine(app)
  const command = ['shorten', file, '--account', owner.account.email, ...args]
  const { code, stdout, stderr } = await runCommand(command, { env: settings() })
  expect([code, stderr]).toEqual([0, ''])
  return stdout
}

test('a list of destinations becomes short links in its order, with errors per row', async ({
  app,
  make,
  request,
  listUrls,
}) => {
  const owner = await make.owner()
  const lines = [
    'https://example.com/a,b;c?d=1',
    '',
    'javascript:alert(1)',
    'example.com/no-scheme',
    '"https://example.com/quoted"',
    'https://brev.test/loop',
    'https://example.com/a,b;c?d=1',
    'two words',
    'javascript:1',
    '"https://example.com/x","Title"',
    'https://example.com,Title',
  ]
  const csv = await shorten(app, owner, lines.join('\r\n'))
  expect(csv).toMatch(/^Row,Long URL,Short URL,Error\r\n/)
  const rows = parse(csv, { bom: true, columns: true }) as Record<string, string>[]
  const short = expect.stringMatching(/^http:\/\/brev\.test\/[2-9a-zA-Z]{7}$/)
  const created = (row: string, url: string) => ({
    Row: row,
    'Long URL': url,
    'Short URL': short,
    Error: '',
  })
  const rejected = (row: string, url: string, error: RegExp) => ({
    Row: row,
    'Long URL': url,
    'Short URL': '',
    Error: expect.stringMatching(error),
  })
  expect(rows).toEqual([
    created('1', 'https://example.com/a,b;c?d=1'),
    rejected('3', 'javascript:alert(1)', /^url must/),
    created('4', 'https://example.com/no-scheme'),
    created('5', 'https://example.com/quoted'),
    rejected('6', 'https://brev.test/loop', /^url must not lead to the short-link service itself/),
    created('7', 'https://example.com/a,b;c?d=1'),
    rejected('8', 'two words', /is not one URL/),
    rejected('9', 'javascript:1', /^url must/),
    rejected('10', 'https://example.com/x","Title', /is not one URL/),
    rejected('11', 'https://example.com,Title', /is not one URL/),
  ])
  expect(new Set(rows.map((row) => row['Short URL'])).size).toBe(5)
  expect(await listUrls(owner)).toHaveLength(4)
  const { pathname } = new URL(rows[0]?.['Short URL'] ?? '')
  const visit = await request({ url: pathname })
  expect(visit.headers.location).toBe('https://example.com/a,b;c?d=1')
})

test('the first line of a list is not taken for column names if it has a destination', async ({
  app,
  make,
}) => {
  const content = '1. https://example.com/1\nhttps://example.com/2\n'
  const rows = parse(await shorten(app, await make.owner(), content), { bom: true }) as string[][]
  expect(rows.map(([row, , , error]) => [row, error])).toEqual([
    ['Row', 'Error'],
    ['1', expect.stringMatching(/is not one URL/)],
    ['2', ''],
  ])
})

test('delimiters after the URLs of a list are dropped if the first line has them', async ({
  app,
  make,
  listUrls,
}) => {
  const url = 'https://example.com/'
  for (const [content, expected] of [
    [`${url}1,\r\n"${url}2",,\n${url}3;\n\n${url}4\n`, ['1', '2', '3', '4']],
    [`${url}1\n${url}2,\n`, ['1', '2,']],
  ] as const) {
    const owner = await make.owner()
    await shorten(app, owner, content)
    const links = (await listUrls(owner)).reverse()
    expect(links).toMatchObject(expected.map((path) => ({ longurl: url + path })))
  }
})

test('a CSV list may have titles, tags and dates, but no aliases', async ({
  app,
  make,
  listUrls,
}) => {
  const owner = await make.owner()
  await make.domain(owner, { domain: 'https://go.test' })
  const content = Buffer.from(
    '\ufeffTitel;Website;Title;Tags;Slug;Expires\r\n;https://example.com/1;Äpfel;a|b;chosen;\r\n;https://example.com/2;;;;soon\r\n',
    'utf16le',
  )
  const output = await createFile('', 'out.csv')
  const args = ['--domain', 'go.test', '--output', output, '--json']
  const result = JSON.parse(await shorten(app, owner, content, ...args))
  expect(result).toMatchObject({
    file: output,
    rows: 2,
    created: 1,
    refused: 1,
    notices: ['Ignored columns: Titel, Slug.'],
  })
  const file = await readFile(output)
  expect(file.subarray(0, 3)).toEqual(Buffer.from('\ufeff'))
  const rows = parse(file, { bom: true }) as string[][]
  expect(rows.slice(1)).toEqual([
    ['2', 'https://example.com/1', expect.stringMatching(/^https:\/\/go\.test\/\w{7}$/), ''],
    ['3', 'https://example.com/2', '', '"Expires" is not a date that can be read: soon'],
  ])
  expect(await listUrls(owner)).toMatchObject([{ title: 'Äpfel', tags: ['a', 'b'] }])
})

test('a printed list has notices on standard error, and dates in the order of --dates', async ({
  app,
  make,
  request,
  listUrls,
}) => {
  const owner = await make.owner()
  const file = await createFile('url,slug,expires\nhttps://example.com/1,chosen,02/01/2031\n')
  const command = ['shorten', file, '--account', owner.account.email, '--dates', 'dmy']
  const { code, stdout, stderr } = await runCommand(command, { env: commandLine(app).settings() })
  expect([code, stderr]).toEqual([0, 'Ignored columns: slug.\n'])
  expect(stdout).toMatch(/\n2,https:\/\/example\.com\/1,http:\/\/brev\.test\/\w{7},\r\n$/)
  const [{ id }] = await listUrls(owner)
  const reply = await request({ url: `/api/url/${id}`, headers: owner.headers })
  expect(reply.json().details.expiry).toBe('2031-01-02 23:59:59')
})

test('new links of a list do not have the clicks of other links', async ({
  app,
  make,
  request,
  listUrls,
}) => {
  const owner = await make.owner()
  const content = 'url,clicks,last click,max clicks\nhttps://example.com/1,5,2024-01-02,3\n'
  const result = JSON.parse(await shorten(app, owner, content, '--json'))
  expect(result.notices).toEqual(['Ignored columns: clicks, last click.'])
  const [{ alias, clicks }] = await listUrls(owner)
  expect(clicks).toBe(0)
  expect((await request({ url: `/${alias}` })).statusCode).toBe(302)
})

test('a long list keeps its order, and can be shortened again', async ({ app, make, listUrls }) => {
  const owner = await make.owner()
  const urls = Array.from({ length: 2500 }, (_, n) => `https://example.com/${n}`)
  const content = `url\n${urls.join('\n')}\n`
  const first = JSON.parse(await shorten(app, owner, content, '--json'))
  expect(first.links.map(({ url }: { url: string }) => url)).toEqual(urls)
  expect(first.links.map(({ row }: { row: number }) => row)).toEqual(urls.map((_, n) => n + 2))
  const second = JSON.parse(await shorten(app, owner, content, '--json'))
  const all = [...first.links, ...second.links].map(({ shortUrl }) => shortUrl)
  expect(new Set(all).size).toBe(5000)
  expect(await listUrls(owner)).toHaveLength(1000)
})

test('a list that was interrupted resumes without creating links twice', async ({ app, make }) => {
  const owner = await make.owner()
  const file = await createFile('https://example.com/r1\nhttps://example.com/r2\n', 'resume.txt')
  const { settings } = commandLine(app)
  const run = async () => {
    const command = ['shorten', file, '--account', owner.account.email, '--json']
    return JSON.parse((await runCommand(command, { env: settings() })).stdout)
  }
  const first = await run()
  await app.services.database.pool.query(`update imports set state = 'running' where id = $1`, [
    first.id,
  ])
  expect(await run()).toEqual(first)
})

test.for([
  ['title,notes\na,b\n', /No column contains the destination URL/],
  ['', /The file is empty/],
] as const)(
  'a list without destinations is rejected: %j',
  async ([content, message], { app, make }) => {
    const owner = await make.owner()
    const file = await createFile(content, 'list.csv')
    const command = ['shorten', file, '--account', owner.account.email]
    const { code, stderr } = await runCommand(command, { env: commandLine(app).settings() })
    expect([code, stderr]).toEqual([1, expect.stringMatching(message)])
  },
)
