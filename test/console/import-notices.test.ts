import { expect, onTestFinished } from 'vitest'
import { countLinks } from '../../src/transfer/transfer.service.ts'
import { openMockApi } from '../support/mock-api.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'
import { uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({ OUTBOUND_ALLOW: '127.0.0.0/8' })

/** Returns the notices on the page of an import. */
function readNotices(body: string): string[] {
  const [, list = ''] = /<ul class="notice">(.*?)<\/ul>/s.exec(body) ?? []
  return Array.from(list.matchAll(/<li>(.*?)<\/li>/gs), ([, text = '']) => text)
}

test('the page of an import lists the ignored columns of a CSV file before and after the import', async ({
  newUser,
  worker,
}) => {
  const { person, upload } = await newUser()
  const content =
    'Slug,Long URL,utm_source,<b>Notes</b>,,Clicks\nsale,https://example.com/,a,b,c,3\n'
  const url = String((await upload(content, {}, 'links.csv')).headers.location)
  const { drain } = worker()
  await drain()
  const ignoredColumns = 'utm_source, &lt;b&gt;Notes&lt;/b&gt;, Column 5'
  expect(readNotices((await person.open(url)).body)).toEqual([
    `Ignored columns: ${ignoredColumns}.`,
  ])
  await person.send(`${url}/start`)
  await drain()
  expect(readNotices((await person.open(url)).body)).toEqual([
    `Ignored columns: ${ignoredColumns}.`,
  ])
  expect((await person.open(`${url}/report`)).body).toBe(
    '\ufeffRow,Alias,Problem\r\n,,"Ignored columns: utm_source, <b>Notes</b>, Column 5."\r\n',
  )
  const fields = { kind: 'csv', onTaken: 'skip', content, go: 'check' }
  expect(readNotices((await person.send('/console/import', fields)).body)).toHaveLength(1)
})

test('the import command lists each ignored field of a JSONL file once, including fields of days', async ({
  app,
  newUser,
}) => {
  const { owner, person } = await newUser()
  const day = { day: '2026-01-02', clicks: 1, cities: {}, countries: { DE: 1 } }
  const link = { alias: 'odd', shortUrl: 'x', url: 'https://example.com/', weight: 1, days: [day] }
  const manyFields = Array.from({ length: 90 }, (_, index) => [`${'x'.repeat(100)}${index}`, 1])
  const records = [link, { ...link, alias: 'odd2', owner: 'a' }, Object.fromEntries(manyFields)]
  const file = await createFile(
    jsonl(...records.map((record) => ({ alias: 'wide', url: link.url, ...record }))),
    'links.jsonl',
  )
  const report = await createFile('', 'report.csv')
  const transfer = createTransferCommands(app, owner)
  const { unused, notices } = await transfer.import(file, 'jsonl', '--dry-run', '--report', report)
  expect(unused.slice(0, 3)).toEqual(['weight', 'days[].cities', 'owner'])
  expect(unused.length).toBeLessThanOrEqual(50)
  expect(unused.join('').length).toBeLessThanOrEqual(50 * 60)
  expect(notices).toEqual([expect.stringContaining('Ignored fields: weight, days[]')])

  // Dry runs of commands are not imports of the account, and folders of the server are its own.
  expect((await person.open('/console/import')).body).not.toMatch(/\/console\/import\/\d/)
  await transfer.import(file, 'jsonl')
  const { body } = await person.open('/console/import')
  expect(body.match(/<a href="\/console\/import\/\d+">[^<]*/g)).toEqual([
    expect.stringMatching(/>links\.jsonl$/),
  ])
  expect(body).not.toContain(file)
})

test('an import from Shlink preserves query forwarding', async ({ newUser, worker, app }) => {
  const link = (shortCode: string, otherFields: object = {}) => ({
    shortCode,
    longUrl: 'https://example.com/',
    dateCreated: '2026-01-01T00:00:00+00:00',
    meta: {},
    ...otherFields,
  })
  const data = [
    link('forwarding', { forwardQuery: true }),
    link('default'),
    link('not-forwarding', { forwardQuery: false }),
  ]
  const api = await openMockApi(() => ({ shortUrls: { data, pagination: { pagesCount: 1 } } }))
  onTestFinished(api.close)
  const { person, owner } = await newUser()
  const fields = { source: 'shlink', address: api.origin, onTaken: 'skip', domain: '', token: 'k' }
  const url = String((await person.send('/console/import/api', fields)).headers.location)
  const { drain } = worker()
  await drain()
  await person.send(`${url}/start`)
  await drain()
  expect(readNotices((await person.open(url)).body)).toEqual([])
  expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(3)
  const getDestination = async (alias: string) =>
    (await app.request({ url: `/${alias}?a=1` })).headers.location
  expect(await getDestination('forwarding')).toBe('https://example.com/?a=1')
  expect(await getDestination('default')).toBe('https://example.com/?a=1')
  expect(await getDestination('not-forwarding')).toBe('https://example.com/')
})
