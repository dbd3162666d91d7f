import { describe, expect } from 'vitest'
import { scopeOf } from '../../src/scope.ts'
import { importLinks } from '../../src/transfer/transfer.service.ts'
import { testApp } from '../support/app.ts'
import {
  createFile,
  createTransferCommands,
  jsonl,
  transferTest,
  ZERO_COUNTS,
} from '../support/transfer.ts'

const test = transferTest()
const target = 'https://example.com/x'

describe('a taken alias', () => {
  const content = jsonl(
    { alias: 'gone', url: 'https://example.com/new' },
    { alias: 'free', url: target },
  )

  test('ends an import unless such links are skipped or renamed', async ({
    app,
    make,
    listUrls,
  }) => {
    const owner = await make.owner()
    const other = await make.owner()
    await make.link(other, { alias: 'gone', url: 'https://example.com/old' })
    await make.link(other, { alias: 'gone-2' })
    const transfer = createTransferCommands(app, owner)
    const file = await createFile(content, 'a.jsonl')
    expect(await transfer.runFailingImport(file, 'jsonl')).toMatch(/row 1: the alias gone is taken/)
    expect(await listUrls(owner)).toEqual([])
    expect(await transfer.import(file, 'jsonl', '--on-taken', 'skip', '--dry-run')).toMatchObject({
      ...ZERO_COUNTS,
      rows: 2,
      created: 1,
      taken: 1,
      problems: [{ row: 1, alias: 'gone', problem: 'the alias is taken' }],
    })
    expect(await listUrls(owner)).toEqual([])
    const skipped = await transfer.import(file, 'jsonl', '--on-taken', 'skip')
    expect(skipped).toMatchObject({ ...ZERO_COUNTS, rows: 2, created: 1, taken: 1 })
    const renamed = await transfer.import(file, 'jsonl', '--on-taken', 'rename')
    expect(renamed).toMatchObject({ ...ZERO_COUNTS, rows: 2, created: 1, renamed: 1, present: 1 })
    const again = await transfer.import(file, 'jsonl', '--on-taken', 'rename')
    expect(again).toMatchObject({ ...ZERO_COUNTS, rows: 2, present: 2 })
    const all = await listUrls(owner)
    expect(all.map(({ alias }: { alias: string }) => alias)).toEqual(['gone-3', 'free'])
    expect(await listUrls(other)).toMatchObject([
      { alias: 'gone-2' },
      { longurl: 'https://example.com/old' },
    ])
  })
})

describe('a repeated alias with another destination', () => {
  test('is reported by every import, or renamed by the first, even far apart', async ({
    app,
    make,
    listUrls,
  }) => {
    const owner = await make.owner()
    const transfer = createTransferCommands(app, owner)
    const between = Array.from({ length: 1200 }, (_, index) => ({
      alias: `between-${index}`,
      url: target,
    }))
    const repeatedAliases = [
      { alias: 'twice', url: target },
      { alias: 'twice', url: target },
      ...between,
      { alias: 'twice', url: `${target}/other` },
    ]
    const file = await createFile(jsonl(...repeatedAliases), 'twice.jsonl')
    const problems = [{ row: 1203, alias: 'twice', problem: 'the alias is already in the file' }]
    const counts = { ...ZERO_COUNTS, rows: 1203, taken: 1 }
    const skip = ['--on-taken', 'skip']
    const dry = await transfer.import(file, 'jsonl', ...skip, '--dry-run')
    expect(dry).toMatchObject({ ...counts, created: 1201, present: 1, problems })
    const first = await transfer.import(file, 'jsonl', ...skip)
    expect(first).toMatchObject({ ...counts, created: 1201, present: 1, problems })
    const again = await transfer.import(file, 'jsonl', ...skip)
    expect(again).toMatchObject({ ...counts, present: 1202, problems })
    const rename = ['--on-taken', 'rename']
    const renamed = await transfer.import(file, 'jsonl', ...rename)
    expect(renamed).toMatchObject({
      ...ZERO_COUNTS,
      rows: 1203,
      present: 1202,
      created: 1,
      renamed: 1,
    })
    const last = await transfer.import(file, 'jsonl', ...rename)
    expect(last).toMatchObject({ ...ZERO_COUNTS, rows: 1203, present: 1203 })
    const [newest] = await listUrls(owner)
    expect(newest).toMatchObject({ alias: 'twice-2', longurl: `${target}/other` })
  })
})

describe('links of an import', () => {
  test('can be imported again after deletion', async ({ app, make, request, listUrls }) => {
    const owner = await make.owner()
    const transfer = createTransferCommands(app, owner)
    const file = await createFile(jsonl({ alias: 'deleted-once', url: target }), 'a.jsonl')
    await transfer.import(file, 'jsonl')
    const [{ id }] = await listUrls(owner)
    const url = `/api/url/${id}/delete`
    expect((await request({ method: 'DELETE', url, headers: owner.headers })).statusCode).toBe(200)
    expect(await transfer.import(file, 'jsonl')).toMatchObject({
      ...ZERO_COUNTS,
      rows: 1,
      created: 1,
    })
  })

  test('are created on the requested domain, or on their own domain if the account has it', async ({
    app,
    make,
    listUrls,
  }) => {
    const owner = await make.owner()
    const other = await make.owner()
    await make.domain(owner, { domain: 'https://mine.test' })
    await make.domain(owner, { domain: 'https://rest.test' })
    await make.domain(other, { domain: 'https://foreign.test' })
    const transfer = createTransferCommands(app, owner)
    const content = jsonl(
      { alias: 'd1', domain: 'mine.test', url: target },
      { alias: 'd2', domain: 'foreign.test', url: target },
      { alias: 'd3', url: target },
    )
    const file = await createFile(content, 'a.jsonl')
    expect(await transfer.runFailingImport(file, 'jsonl', '--domain', 'foreign.test')).toMatch(
      /domain is not a domain of this account/,
    )
    expect(await transfer.import(file, 'jsonl', '--dry-run')).toMatchObject({
      created: 2,
      refused: 1,
    })
    await transfer.import(file, 'jsonl', '--domain', 'rest.test')
    const all = await listUrls(owner)
    expect(all.map(({ shorturl }: { shorturl: string }) => shorturl)).toEqual([
      'https://rest.test/d3',
      'https://rest.test/d2',
      'https://mine.test/d1',
    ])
  })

  test("count towards the account's limit", async ({ onTestFinished }) => {
    const app = await testApp({ env: { LINKS_PER_ACCOUNT: '2' } })
    onTestFinished(app.close)
    const owner = await app.make.owner()
    const records = ['q1', 'q2', 'q3'].map((alias) => ({ alias, url: target }))
    const from = await createFile(jsonl(...records), 'a.jsonl')
    const request = { source: 'jsonl', onTaken: 'fail', dryRun: false, from } as const
    const all = await Array.fromAsync(importLinks(scopeOf(app.services, owner.account.id), request))
    expect(all.at(-1)).toMatchObject({
      counts: { created: 2, refused: 1 },
      problems: [{ row: 3, problem: { key: 'errors.too_many_links' } }],
    })
  })
})
