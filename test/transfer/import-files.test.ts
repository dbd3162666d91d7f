import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  createFile,
  createTransferCommands,
  transferTest,
  ZERO_COUNTS,
} from '../support/transfer.ts'

const test = transferTest()
const target = 'https://example.com/x'

describe('a CSV file', () => {
  test('creates links with dates, tags and clicks, and has no effect when repeated', async ({
    app,
    make,
    listUrls,
  }) => {
    const owner = await make.owner()
    const transfer = createTransferCommands(app, owner)
    const file = await createFile(
      [
        'Short link,Destination URL,Clicks,Created at,Tags,Title',
        'https://dub.sh/deal,https://example.com/a?b=1,12,2026-01-02T03:04:05.678Z,"one, two",The sale',
        'https://dub.sh/%E6%97%A5,https://example.com/b,0,2026-02-03 04:05:06,,"A ""quoted"", title"',
      ].join('\r\n'),
    )
    const first = await transfer.import(file, 'csv')
    expect(first).toMatchObject({ ...ZERO_COUNTS, rows: 2, created: 2, clicks: 12, problems: [] })
    expect(await listUrls(owner)).toMatchObject([
      { alias: '日', longurl: 'https://example.com/b', date: '2026-02-03 04:05:06', clicks: 0 },
      {
        alias: 'deal',
        longurl: 'https://example.com/a?b=1',
        date: '2026-01-02 03:04:05',
        clicks: 12,
        title: 'The sale',
        tags: ['one', 'two'],
      },
    ])
    expect(await transfer.import(file, 'csv')).toMatchObject({
      ...ZERO_COUNTS,
      rows: 2,
      present: 2,
    })
    expect(await transfer.check()).toContain('agree')
  })

  test.for([
    [
      'shlink',
      `createdAt,domain,shortCode,shortUrl,longUrl,title,tags,visits
2026-01-02T00:00:00+00:00,s.test,shlink,https://s.test/shlink,${target},T,a|b,3`,
    ],
    ['yourls', `source,target,hits\n/yourls/,${target},3`],
    [
      'bitly',
      `Link,Custom Link,Destination URL,Engagements\nhttps://bit.ly/3x,https://bit.ly/bitly,${target},3`,
    ],
    ['rebrandly', `Slashtag;Destination;Domain;Clicks\nrebrandly;${target};rebrand.ly;3`],
    ['shortio', `\ufeffPath\tOriginal URL\tTotal clicks\nshortio\t${target}\t3`],
    ['kutt', `address,target,visit_count\nkutt,${target},3\n\n`],
  ] as const)(
    'of %s is recognized by its headers',
    async ([alias, content], { app, make, listUrls }) => {
      const owner = await make.owner()
      const transfer = createTransferCommands(app, owner)
      const result = await transfer.import(await createFile(content), 'csv')
      expect(result).toMatchObject({ rows: 1, clicks: 3, refused: 0, notices: [] })
      const links = await listUrls(owner)
      expect(links).toContainEqual(expect.objectContaining({ alias, longurl: target, clicks: 3 }))
    },
  )

  test('imports its valid rows and reports why it rejects the others', async ({
    app,
    make,
    listUrls,
  }) => {
    const owner = await make.owner()
    await make.domain(owner, { domain: 'https://own.test' })
    const transfer = createTransferCommands(app, owner)
    const rows = [
      'alias,url,created',
      'a b,https://example.com/,',
      'r2,javascript:alert(1),',
      'r3,http://brev.test/x,',
      'r4,https://own.test/x,',
      'r5,https://user:pw@example.com/,',
      'r6,https://example.com/,02/01/2026',
      'api,https://example.com/,',
      ',https://example.com/,',
      '=1+1,https://example.com/,',
      'r10,,',
      // Empty rows are skipped, but count, as in spreadsheets.
      '',
      'r\u115f,https://example.com/,',
      'kept,https://example.com/,',
    ]
    const report = await createFile('', 'report.csv')
    const file = await createFile(rows.join('\n'))
    const { problems, ...counts } = await transfer.import(file, 'csv', '--report', report)
    expect(counts).toMatchObject({ ...ZERO_COUNTS, rows: 12, created: 2, refused: 10 })
    const texts = problems.map((each: { row: number; problem: string }) => [each.row, each.problem])
    expect(texts).toEqual([
      [2, '"alias" must be 1 to 64 letters, digits, hyphens or underscores'],
      [3, '"url" must be a valid http or https URL'],
      [4, '"url" must not lead to the short-link service itself'],
      [5, '"url" must not lead to the short-link service itself'],
      [6, '"url" must not contain a user name or password'],
      [8, '"alias" is a reserved word'],
      [9, '"alias" is empty'],
      [10, '"alias" must be 1 to 64 letters, digits, hyphens or underscores'],
      [11, '"url" is empty'],
      [13, '"alias" must not contain the invisible character U+115F'],
    ])
    expect(await listUrls(owner)).toMatchObject([{ alias: 'kept' }, { alias: 'r6' }])
    const lines = (await readFile(report, 'utf8')).split('\r\n')
    expect(lines[0]).toBe('\ufeffRow,Alias,Problem')
    expect(lines[1]).toMatch(/^2,a b,/)
    expect(lines[6]).toMatch(
      /^7,r6,"imported without this value: ""created"" is not a date .* first \(--dates\)"$/,
    )
    expect(lines[9]).toMatch(/^10,'=1\+1,/)
  })

  test.for([
    [
      'in UTF-16 that is cut off',
      Buffer.from('\ufeffa,url\n', 'utf16le').subarray(0, -1),
      /UTF-16/,
    ],
    [
      'in Latin-1',
      Buffer.from('alias,url\nx,https://example.com/\nf\u00fc,http://e.de\n', 'latin1'),
      /UTF-8 \(see line 3\).*Windows-1252: save it as UTF-8, in Excel as "CSV UTF-8"/,
    ],
    ['that is empty', '', /The file is empty/],
    [
      'without a target',
      'alias,what\nx,y\n',
      /No column contains the destination URL.*alias, what/,
    ],
    [
      'without an alias',
      'title,url\nx,https://example.com/\n',
      /No column contains the alias.*For random aliases, .*npx brevis shorten/,
    ],
    ['with a first line of 2 MB', `alias,url,${'x'.repeat(2_100_000)}\n`, /longer than 2097152/],
    ['with 2000 columns', `alias,url${',x'.repeat(2000)}\n`, /names 2002 columns/],
    ['with only a quote', '"', /quote is not closed/],
  ] as const)(
    '%s is rejected as a whole',
    async ([, content, message], { app, make, listUrls }) => {
      const owner = await make.owner()
      const line = await createTransferCommands(app, owner).runFailingImport(
        await createFile(content),
        'csv',
      )
      expect(line).toMatch(/^1 brevis: /)
      expect(line).toMatch(message)
      expect(await listUrls(owner)).toEqual([])
    },
  )

  test('truncated within quotes reports the row', async ({ app, make }) => {
    const owner = await make.owner()
    const content = 'alias,url,title\ncut1,https://example.com/,a\ncut2,https://example.com/,"b'
    expect(
      await createTransferCommands(app, owner).runFailingImport(await createFile(content), 'csv'),
    ).toMatch(/Row 3: a quote is not closed; the file may be cut off/)
  })

  test('that does not exist or is a folder is rejected', async ({ app, make }) => {
    const transfer = createTransferCommands(app, await make.owner())
    expect(await transfer.runFailingImport('/nowhere/x.csv', 'csv')).toMatch(
      /cannot be read: ENOENT/,
    )
    expect(await transfer.runFailingImport(join(import.meta.dirname), 'csv')).toMatch(
      /is not a file/,
    )
  })
})

test.for<[cell: string, tags: string[]]>([
  ['a|b, c', ['a', 'b, c']],
  ['a; b', ['a', 'b']],
  ['a, b', ['a', 'b']],
  ['["a","b, c"]', ['a', 'b, c']],
  ['[{"id":1,"name":"a","color":"red"}]', ['a']],
  ['{a,"b c"}', ['a', 'b c']],
  ['2024', ['2024']],
  ['[]', []],
])(
  'a CSV file has tags as other services write them: %s',
  async ([cell, tags], { app, make, listUrls }) => {
    const owner = await make.owner()
    const quoted = `"${cell.replaceAll('"', '""')}"`
    const content = `slug,url,tags\ntags-${owner.account.id},https://example.com/x,${quoted}\n`
    await createTransferCommands(app, owner).import(await createFile(content), 'csv')
    expect(await listUrls(owner)).toMatchObject([{ tags }])
  },
)
