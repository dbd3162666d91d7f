import { expect } from 'vitest'
import { createFile, createTransferCommands, jsonl, transferTest } from '../support/transfer.ts'

const test = transferTest()
const url = 'https://example.com/x'

type Expected = { alias: string; title?: string }

test.for<[name: string, content: string | Uint8Array, links: Expected[]]>([
  [
    'with sep=;',
    `sep=;\r\nalias;url;title\r\nsep-1;${url};a,b\r\n`,
    [{ alias: 'sep-1', title: 'a,b' }],
  ],
  ['with a mark and "sep=,"', `\ufeff"sep=,"\nalias,url\nsep-2,${url}\n`, [{ alias: 'sep-2' }]],
  ['with sep= and a tab', `sep=\t\nalias\turl\nsep-3\t${url}\n`, [{ alias: 'sep-3' }]],
  ['with pipes', `alias|url|title\npipe|${url}|a,b\n`, [{ alias: 'pipe', title: 'a,b' }]],
  [
    'of phpMyAdmin',
    `"keyword","url","title","timestamp","ip","clicks"\n"php-1","${url}","Caf\\"e\\"","2024-01-02 03:04:05","::1","3"\n"php-2","${url}",NULL,NULL,NULL,NULL\n`,
    [
      { alias: 'php-1', title: 'Caf"e"' },
      { alias: 'php-2', title: 'example.com' },
    ],
  ],
  [
    'with "NULL" as text',
    `"keyword","url","title"\n"null-1","${url}","NULL"\n"null-2","${url}",NULL\n`,
    [
      { alias: 'null-1', title: 'NULL' },
      { alias: 'null-2', title: 'example.com' },
    ],
  ],
  [
    'with doubled quotes and a backslash at the end',
    `alias,url,title\nrfc,${url},"C:\\dir\\"\nrfc-2,${url},"say ""hi"""\n`,
    [
      { alias: 'rfc', title: 'C:\\dir\\' },
      { alias: 'rfc-2', title: 'say "hi"' },
    ],
  ],
  [
    'with backslashes as text, one of them before an N',
    `alias,url,title\npath-1,${url},"C:\\New\\temp, old"\npath-2,${url},"\\N"\n`,
    [
      { alias: 'path-1', title: 'C:\\New\\temp, old' },
      { alias: 'path-2', title: '\\N' },
    ],
  ],
  [
    'with blanks after the delimiters',
    `alias, url, title\nblank-1, "${url}", "a, b"\n`,
    [{ alias: 'blank-1', title: 'a, b' }],
  ],
  [
    'with tabs and quotes as text',
    `alias\turl\ttitle\ntab-1\t${url}\t"Fjord" in 9 minutes\ntab-2\t${url}\t"open\ntab-3\t${url}\t\\N\n`,
    [
      { alias: 'tab-1', title: '"Fjord" in 9 minutes' },
      { alias: 'tab-2', title: '"open' },
      { alias: 'tab-3', title: 'example.com' },
    ],
  ],
  [
    'with tabs of a spreadsheet, in quotes',
    `alias\turl\ttitle\ntabq-1\t${url}\t"a ""b""\tc"\ntabq-2\t${url}\t"two\nlines"\n`,
    [
      { alias: 'tabq-1', title: 'a "b"\tc' },
      { alias: 'tabq-2', title: 'two\nlines' },
    ],
  ],
  [
    'in UTF-16, as “Unicode text” of Excel',
    Buffer.from(`\ufeffalias\turl\ttitle\r\nutf16-ü\t${url}\tZürich 😀\r\n`, 'utf16le'),
    [{ alias: 'utf16-ü', title: 'Zürich 😀' }],
  ],
  [
    'in UTF-16 with the high byte first',
    Buffer.from(`\ufeffalias,url\nutf16-be,${url}\n`, 'utf16le').swap16(),
    [{ alias: 'utf16-be' }],
  ],
  [
    'with CR as line break',
    `alias,url\rcr-1,${url}\rcr-2,${url}\r`,
    [{ alias: 'cr-1' }, { alias: 'cr-2' }],
  ],
  [
    'with CR as line break, and LF within a cell',
    `alias,url,title\rcell-1,${url},"a\nb"\rcell-2,${url},"c\rd"\r\rcell-3,${url},e`,
    [
      { alias: 'cell-1', title: 'a\nb' },
      { alias: 'cell-2', title: 'c\rd' },
      { alias: 'cell-3', title: 'e' },
    ],
  ],
  [
    'with tabs and CR as line break',
    `alias\turl\ttitle\rcrtab-1\t${url}\t"a\rcrtab-2\t${url}\tb\r`,
    [
      { alias: 'crtab-1', title: '"a' },
      { alias: 'crtab-2', title: 'b' },
    ],
  ],
  [
    'with all kinds of line breaks',
    `alias,url\rall-1,${url}\nall-2,${url}\r\nall-3,${url}\rall-4,${url}`,
    ['all-1', 'all-2', 'all-3', 'all-4'].map((alias) => ({ alias })),
  ],
  [
    'of mysql --batch with a CR in a cell',
    `keyword\turl\ttitle\nbatchcr\t${url}\ta\r\\nb\n`,
    [{ alias: 'batchcr', title: 'a\r\nb' }],
  ],
  [
    'with two kinds of line breaks',
    `alias,url,title\r\nmix-1,${url},a\nmix-2,${url},b\r\n\nmix-3,${url},c\r\r\n`,
    [
      { alias: 'mix-1', title: 'a' },
      { alias: 'mix-2', title: 'b' },
      { alias: 'mix-3', title: 'c' },
    ],
  ],
  [
    'of MySQL with escaped quotes only at the end of cells',
    `"keyword","url","title","clicks"\n"end-1","${url}","3 inch\\"","1"\n"end-2","${url}","x\\"",NULL\n`,
    [
      { alias: 'end-1', title: '3 inch"' },
      { alias: 'end-2', title: 'x"' },
    ],
  ],
  [
    'of the command mysql --batch',
    `keyword\turl\ttitle\nbatch-1\t${url}\ta\\tb\\nc "d\\\\n"\nbatch-2\t${url}\tNULL\n`,
    [
      { alias: 'batch-1', title: 'a\tb\nc "d\\n"' },
      { alias: 'batch-2', title: 'example.com' },
    ],
  ],
  [
    'of mysqldump --tab or COPY of PostgreSQL',
    `keyword\turl\ttitle\ndump-1\t${url}\ta\\\tb\\\nc\ndump-2\t${url}\t\\N\ndump-3\t${url}\tx\\\\\n`,
    [
      { alias: 'dump-1', title: 'a\tb\nc' },
      { alias: 'dump-2', title: 'example.com' },
      { alias: 'dump-3', title: 'x\\' },
    ],
  ],
  [
    'of SELECT INTO OUTFILE',
    `"keyword","url","title"\n"out-1","${url}","C:\\\\new\\\\"\n"out-2","${url}",\\N\n`,
    [
      { alias: 'out-1', title: 'C:\\new\\' },
      { alias: 'out-2', title: 'example.com' },
    ],
  ],
  [
    'with escapes in quotes',
    `"alias","url","title"\n"esq-1","${url}","\\"a\\"\\n\\tb"\n`,
    [{ alias: 'esq-1', title: '"a"\n\tb' }],
  ],
  [
    'with tabs and backslashes as text',
    `alias\turl\ttitle\nwin-1\t${url}\tC:\\new\\dir\nwin-2\t${url}\t\\N\n`,
    [
      { alias: 'win-1', title: 'C:\\new\\dir' },
      { alias: 'win-2', title: 'example.com' },
    ],
  ],
])('a CSV file %s is read', async ([, content, expected], { app, make, listUrls }) => {
  const owner = await make.owner()
  const transfer = createTransferCommands(app, owner)
  const result = await transfer.import(await createFile(content), 'csv')
  expect(result).toMatchObject({ created: expected.length, refused: 0, taken: 0 })
  expect((await listUrls(owner)).reverse()).toMatchObject(expected)
})

test('a backslash before a quote is found in the last row of a long file', async ({
  app,
  make,
  listUrls,
}) => {
  const owner = await make.owner()
  const rows = Array.from({ length: 3000 }, (_, n) => `"esc-${n}","${url}","plain"\n`)
  const content = `"alias","url","title"\n${rows.join('')}"esc-last","${url}","Caf\\"e"\n`
  await createTransferCommands(app, owner).import(await createFile(content), 'csv')
  expect((await listUrls(owner))[0]).toMatchObject({ alias: 'esc-last', title: 'Caf"e' })
})

test('an escape that two chunks of a file share is resolved', async ({ app, make, listUrls }) => {
  const owner = await make.owner()
  // Files are read in chunks of 1 MiB. The second one begins between the backslash and the line break.
  const header = 'alias\turl\tnotes\ttitle\n'
  const row = `split\t${url}\t`
  const notes = 'x'.repeat(250_000)
  const rows = [1, 2, 3, 4].map((n) => `fill-${n}\t${url}\t${notes}\tfill\n`).join('')
  const rest = 2 ** 20 - 1 - header.length - rows.length - row.length - '\ta'.length
  const content = `${header}${rows}${row}${'x'.repeat(rest)}\ta\\\nb\n`
  expect(content[2 ** 20 - 1]).toBe('\\')
  await createTransferCommands(app, owner).import(await createFile(content), 'csv')
  expect((await listUrls(owner))[0]).toMatchObject({ alias: 'split', title: 'a\nb' })
})

test('JSONL in UTF-16 is read', async ({ app, make }) => {
  const owner = await make.owner()
  const content = Buffer.from(`\ufeff${jsonl({ alias: 'jsonl-16', url })}`, 'utf16le')
  const file = await createFile(content, 'links.jsonl')
  const result = await createTransferCommands(app, owner).import(file, 'jsonl')
  expect(result).toMatchObject({ created: 1 })
})

test.for([
  ['alias,url,title\n', 'cut-1,https://e.example/?a=1,2,My title\n', '4 cells for 3 columns'],
  ['alias,url,title\n', `cut-2,${url},t\ncut-3,https://e.example/?a=1,2,\n`, '4 cells for 3'],
  [
    'alias,url\n',
    `cut-4,${url},,,\ncut-5,"https://a.example/\nhttps://b.example/"\n`,
    '"url" must',
  ],
  ['alias,url\n', 'cut-6,"https://a.example/x; https://b.example/"\n', 'must be one URL'],
] as const)(
  'a destination that a row cuts off or joins is rejected: %j %j',
  async ([header, rows, problem], { app, make, listUrls }) => {
    const owner = await make.owner()
    const file = await createFile(header + rows)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    const created = rows.split('\ncut').length - 1
    expect(result).toMatchObject({ created, refused: 1 })
    expect(result.problems[0].problem).toContain(problem)
    expect(await listUrls(owner)).toHaveLength(created)
  },
)

test('a file without column names is rejected with the fix', async ({ app, make }) => {
  const transfer = createTransferCommands(app, await make.owner())
  const bare = 'example.com/a\nexample.org\n'
  for (const content of [`${url}\n${url}\n`, `a,${url}\nb,${url}\n`, bare]) {
    const line = await transfer.runFailingImport(await createFile(content), 'csv')
    expect(line).toMatch(
      /The first line has a URL .* shorten the file as a list .*\(npx brevis shorten\)/,
    )
  }
})

test('two open quotes do not swallow the rows between them', async ({ app, make, listUrls }) => {
  const owner = await make.owner()
  const content = `alias,url,title\nsw-1,${url},"open\nsw-2,${url},x\nsw-3,${url},"open\n`
  const line = await createTransferCommands(app, owner).runFailingImport(
    await createFile(content),
    'csv',
  )
  expect(line).toMatch(/Row 2: a quote is not closed/)
  expect(await listUrls(owner)).toEqual([])
})

test.for<[name: string, content: Uint8Array, message: RegExp]>([
  ['Windows-1252', Buffer.from(`alias,url\na,${url}\nb\u00fc,${url}\n`, 'latin1'), /see line 3\)/],
  ['one in the first line', Buffer.from(`alias,url,n\u00e4me\n`, 'latin1'), /see line 1\)/],
  ['a cut-off character', Buffer.from(`alias,url\na,${url}\nü`).subarray(0, -1), /see line 3\)/],
  [
    'one after 2 MB',
    Buffer.concat([Buffer.from(`${'ü'.repeat(99)}\n`.repeat(12_000)), Buffer.from([0xe9, 10])]),
    /see line 12001\)/,
  ],
])('a file with %s is rejected with the line', async ([, content, message], { app, make }) => {
  const transfer = createTransferCommands(app, await make.owner())
  const line = await transfer.runFailingImport(await createFile(content), 'csv')
  expect(line).toMatch(message)
  expect(line).toMatch(/Windows-1252: save it as UTF-8/)
})
