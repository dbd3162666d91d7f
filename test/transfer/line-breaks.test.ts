import { parse } from 'csv-parse/sync'
import { describe, expect } from 'vitest'
import { commandLine, runCommand } from '../support/command.ts'
import { createFile, createTransferCommands, transferTest } from '../support/transfer.ts'

const test = transferTest()
const url = 'https://example.com/'

/** Line breaks of old Macs, of Unicode text, and of files joined from several. */
const BREAKS = ['\n', '\r', '\r\n', '\r\r\n', '\u2028', '\u2029', '\u0085', '\v', '\f']

describe('a list of destinations', () => {
  test.for(BREAKS)('is read with %j as line break', async (lineBreak, { app, make, listUrls }) => {
    const owner = await make.owner()
    const paths = ['a', 'b', 'c']
    const file = await createFile(paths.map((path) => url + path).join(lineBreak), 'list.txt')
    const { settings } = commandLine(app)
    const command = ['shorten', file, '--account', owner.account.email]
    const { code, stdout } = await runCommand(command, { env: settings() })
    expect(code).toBe(0)
    const rows = parse(stdout, { bom: true, columns: true }) as Record<string, string>[]
    expect(rows.map((row) => [row['Long URL'], row.Error])).toEqual(
      paths.map((path) => [url + path, '']),
    )
    const longUrls = (await listUrls(owner)).map(({ longurl }: { longurl: string }) => longurl)
    expect(longUrls.sort()).toEqual(paths.map((path) => url + path))
  })

  test('has a line break that two chunks of the file share', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const { brevisJson } = commandLine(app)
    // Files are read in chunks of 1 MiB.
    for (const [lineBreak, firstBytes] of [
      ['\r\n', 1],
      ['\u2028', 1],
      ['\u2028', 2],
      ['\u0085', 1],
    ] as const) {
      const first = `${url}first\n`
      const last = `${url}before`
      const spaces = 2 ** 20 - firstBytes - first.length - last.length
      const blanks = `${' '.repeat(999)}\n`.repeat(spaces / 1000)
      const content = `${first}${blanks}${' '.repeat(spaces - blanks.length)}${last}${lineBreak}${url}after\n`
      const result = await brevisJson([
        ...['shorten', await createFile(content, 'list.txt'), '--account', owner.account.email],
        ...['--output', await createFile('', 'out.csv')],
      ])
      expect([lineBreak, result]).toMatchObject([lineBreak, { created: 3, refused: 0 }])
    }
    expect(await listUrls(owner)).toHaveLength(12)
  })
})

describe('a JSONL file', () => {
  test.for(['\r', '\r\n', '\r\r\n'])(
    'is read with %j as line break',
    async (lineBreak, { app, make }) => {
      const lines = ['a', 'b'].map((path) =>
        JSON.stringify({ url: url + path, alias: `l-${path}` }),
      )
      const transfer = createTransferCommands(app, await make.owner())
      const file = await createFile(lines.join(lineBreak), 'links.jsonl')
      const result = await transfer.import(file, 'jsonl', '--on-taken', 'rename')
      expect(result).toMatchObject({ created: 2, refused: 0 })
    },
  )

  test('may have U+2028 in texts', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const title = 'one\u2028two'
    const file = await createFile(`{"url":"${url}","alias":"ls","title":"${title}"}\n`, 'l.jsonl')
    await createTransferCommands(app, owner).import(file, 'jsonl')
    expect(await listUrls(owner)).toMatchObject([{ alias: 'ls' }])
  })
})

test.for(['\n', '\r', '\r\n'])(
  'the first line that is not UTF-8 is named in a file with %j',
  async (lineBreak, { app, make }) => {
    const transfer = createTransferCommands(app, await make.owner())
    const lines = ['alias,url,title', `fine,${url},a`, `bad,${url},Café`, `last,${url},b`]
    const file = await createFile(Buffer.from(lines.join(lineBreak), 'latin1'))
    expect(await transfer.runFailingImport(file, 'csv')).toContain('see line 3')
  },
)
