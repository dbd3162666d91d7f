import { describe, expect, onTestFinished, vi } from 'vitest'
import { watchDays } from '../support/clock.ts'
import { createFile, createTransferCommands, transferTest } from '../support/transfer.ts'

const test = transferTest()
const target = 'https://example.com/x'

type Link = { alias: string; date: string }

/** Returns CSV rows with these dates of creation. */
function listRows(prefix: string, dates: readonly string[]): string {
  const rows = dates.map((date, index) => `${prefix}-${index},${target},"${date}"`)
  return ['alias,url,created', ...rows, ''].join('\n')
}

describe('the dates of a CSV file', () => {
  test.for<[text: string, date: string]>([
    ['3/14/2023 10:30', '2023-03-14 10:30:00'],
    ['14.03.2023', '2023-03-14 00:00:00'],
    ['14.3.2023, 10:30:05', '2023-03-14 10:30:05'],
    ['3/14/23, 9:05\u202fPM', '2023-03-14 21:05:00'],
    ['12/31/2022 12:00 a.m.', '2022-12-31 00:00:00'],
    ['2023/3/4 5:06', '2023-03-04 05:06:00'],
    ['14-03-2023 10:30 +02:00', '2023-03-14 08:30:00'],
    ['04/04/2023', '2023-04-04 00:00:00'],
    ['45000.4375', '2023-03-15 10:30:00'],
    ['45000,4375', '2023-03-15 10:30:00'],
    ['45000', '2023-03-15 00:00:00'],
    ['14 Mar 2023 10:30', '2023-03-14 10:30:00'],
    ['Mar 14, 2023 10:30 +01:00', '2023-03-14 09:30:00'],
    ['March 14th, 2023 at 10:30 PM', '2023-03-14 22:30:00'],
    ['Tue Mar 14 2023 10:30:00 GMT+0100 (CET)', '2023-03-14 09:30:00'],
    ['14/Mar/2023:10:30:00 -0500', '2023-03-14 15:30:00'],
    ['Sept 14, 2023, 10:30\u202fAM', '2023-09-14 10:30:00'],
    ['2023-03-14 12:30:00.123+02', '2023-03-14 10:30:00'],
    ['2023-03-14 10:30:00 UTC', '2023-03-14 10:30:00'],
  ])('are read: %s', async ([text, date], { app, make, listUrls }) => {
    const owner = await make.owner()
    const file = await createFile(listRows(`read-${owner.account.id}`, [text]))
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 1, notices: [] })
    expect(await listUrls(owner)).toMatchObject([{ date }])
  })

  test.for(['14-Mar-2023', 'Mar-14-2023', '2023 Mar 14'])(
    'are read independently of the time zone of the server: %s',
    async (text, { app, make, listUrls }) => {
      vi.stubEnv('TZ', 'America/New_York')
      onTestFinished(() => void vi.unstubAllEnvs())
      expect(new Date('2023-03-14 00:00').getUTCHours()).toBe(4)
      const owner = await make.owner()
      const file = await createFile(listRows(`zone-${owner.account.id}`, [text]))
      await createTransferCommands(app, owner).import(file, 'csv')
      expect(await listUrls(owner)).toMatchObject([{ date: '2023-03-14 00:00:00' }])
    },
  )

  test.for([
    '0000-00-00 00:00:00',
    '31/31/2020',
    '30.02.2023',
    'soon',
    'issue 12',
    '2023-13-01',
    'Mar 14, 2023 10:30 PST',
    'Marble 14, 2023',
    '253402300799',
  ])('cost the date with a notice, not the link: %s', async (text, { app, make, listUrls }) => {
    const owner = await make.owner()
    const file = await createFile(listRows(`bad-${owner.account.id}`, [text]))
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 1, refused: 0, noticed: 1 })
    expect(result.notices[0]).toContain(`"created" is not a date that can be read: ${text}`)
    expect(await listUrls(owner)).toHaveLength(1)
  })

  test.for<[name: string, args: string[], dates: string[], expected: (string | undefined)[]]>([
    ['a later day above 12', [], ['02/01/2023', '14/02/2023'], ['2023-01-02', '2023-02-14']],
    ['an earlier one', [], ['2/13/2023', '02/01/2023'], ['2023-02-13', '2023-02-01']],
    ['--dates dmy', ['--dates', 'dmy'], ['02/01/2023'], ['2023-01-02']],
    ['--dates mdy', ['--dates', 'mdy'], ['02/01/2023', 'x'], ['2023-02-01', undefined]],
    [
      'a day above 12 before --dates',
      ['--dates', 'mdy'],
      ['02/01/2023', '14/02/2023'],
      ['2023-01-02', '2023-02-14'],
    ],
    ['no day that is also the month', [], ['03/03/2023', '02/01/2023'], ['2023-03-03', undefined]],
    [
      'a day above 12 beside one that is also the month',
      [],
      ['03/03/2023', '02/13/2023', '02/01/2023'],
      ['2023-03-03', '2023-02-13', '2023-02-01'],
    ],
    ['no day that does not exist', [], ['31/02/2023', '02/01/2023'], [undefined, undefined]],
    [
      'no day if both orders occur',
      [],
      ['13/02/2023', '02/13/2023', '02/01/2023'],
      ['2023-02-13', '2023-02-13', undefined],
    ],
  ])('have their order from %s', async ([, args, dates, expected], { app, make, listUrls }) => {
    const day = watchDays()
    const owner = await make.owner()
    const file = await createFile(listRows(`order-${owner.account.id}`, dates))
    const result = await createTransferCommands(app, owner).import(file, 'csv', ...args)
    expect(result).toMatchObject({
      created: dates.length,
      noticed: expected.filter((day) => day === undefined).length,
    })
    const links = await listUrls(owner)
    const byAlias = links.toSorted((a: Link, b: Link) => a.alias.localeCompare(b.alias))
    const days = byAlias.map(({ date }: Link) => date.slice(0, 10))
    expect(days).toEqual(expected.map((known) => known ?? day()))
  })

  test.for<[text: string, expiry: string]>([
    ['2031-03-14', '2031-03-14 23:59:59'],
    ['14.03.2031', '2031-03-14 23:59:59'],
    ['Mar 14, 2031', '2031-03-14 23:59:59'],
    ['02/01/2031', '2031-01-02 23:59:59'],
    ['47921', '2031-03-14 23:59:59'],
    ['47921.0', '2031-03-14 00:00:00'],
    ['2031-03-14 00:00:00', '2031-03-14 00:00:00'],
    ['1931212800', '2031-03-14 00:00:00'],
    ['3/14/31 12:00 AM', '2031-03-14 00:00:00'],
    ['9999-12-31 23:59:59', '9999-12-31 23:59:59'],
  ])(
    'expire a link at the end of a day without a time: %s',
    async ([text, expiry], { app, make, listUrls, request }) => {
      const owner = await make.owner()
      const content = `alias,url,expires\nday-${owner.account.id},${target},"${text}"\n`
      const transfer = createTransferCommands(app, owner)
      await transfer.import(await createFile(content), 'csv', '--dates', 'dmy')
      const [link] = await listUrls(owner)
      const reply = await request({ url: `/api/url/${link.id}`, headers: owner.headers })
      expect(reply.json().details.expiry).toBe(expiry)
    },
  )

  test('have their own order in each column', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const content = `alias,url,created,expires\nown-order,${target},02/01/2023,03/04/2031\nown-order-2,${target},2/13/2023,31/12/2031\n`
    const result = await createTransferCommands(app, owner).import(await createFile(content), 'csv')
    expect(result).toMatchObject({ created: 2, notices: [] })
    const [, first] = await listUrls(owner)
    expect(first.date).toBe('2023-02-01 00:00:00')
    const reply = await app.request({ url: `/api/url/${first.id}`, headers: owner.headers })
    expect(reply.json().details.expiry).toBe('2031-04-03 23:59:59')
  })
})

test('a bad date of the last click is noticed, also without clicks', async ({ app, make }) => {
  const owner = await make.owner()
  const content = `alias,url,clicks,last click\nlast-1,${target},,soon\nlast-2,${target},3,soon\n`
  const result = await createTransferCommands(app, owner).import(await createFile(content), 'csv')
  expect(result).toMatchObject({ created: 2, clicks: 3, noticed: 2 })
})

test('titles and tags that are too long cost the value, not the link', async ({
  app,
  make,
  listUrls,
}) => {
  const owner = await make.owner()
  const row = `decorated,${target},${'t'.repeat(600)},${'d'.repeat(3000)},"ok,${'x'.repeat(60)}"`
  const file = await createFile(`alias,url,title,description,tags\n${row}\n`)
  const { notices, ...counts } = await createTransferCommands(app, owner).import(file, 'csv')
  expect(counts).toMatchObject({ created: 1, refused: 0, noticed: 3 })
  expect(notices).toEqual([
    expect.stringContaining('"title" must be at most 512 characters long'),
    expect.stringContaining('"description" must be at most 2048 characters long'),
    expect.stringContaining('"tags"[1] must'),
  ])
  expect(await listUrls(owner)).toMatchObject([{ alias: 'decorated', tags: ['ok'] }])
})

test('a column or field that does not exist cannot be ignored', async ({ app, make }) => {
  const transfer = createTransferCommands(app, await make.owner())
  const file = await createFile(`alias,url\nx,${target}\n`)
  expect(await transfer.runFailingImport(file, 'csv', '--ignore', 'nope')).toMatch(
    /No column is named nope\. The columns are: alias, url\./,
  )
  expect(await transfer.runFailingImport(file, 'csv', '--dates', 'ymd')).toMatch(
    /dates must be one of dmy, mdy/,
  )
})
