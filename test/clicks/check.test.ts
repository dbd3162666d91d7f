import { CompiledQuery } from 'kysely'
import { describe, expect } from 'vitest'
import { addCounts, toCounts, toLabelKey } from '../../src/clicks/encoding/label-counts.ts'
import { KIND } from '../../src/clicks/encoding/label-kinds.ts'
import { NEW_VISITORS_OFFSET } from '../../src/clicks/encoding/packed-counts.ts'
import { updateLinkOrder } from '../../src/clicks/maintenance/link-order.ts'
import { checkStatistics } from '../../src/clicks/read.ts'
import { appendAll, createClick } from '../support/click-journal.ts'
import { importTest, openImport } from '../support/imports.ts'

/** Yesterday, because the raw clicks of a day long ago are not kept. */
const DAY = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
const NOON = Date.parse(`${DAY}T12:00:00Z`)
const ROLLBACK = new Error('rolls the change back')

const test = importTest()
  /**
   * Three clicks by two visitors on one link, two of them on one day, and one click on another
   * link.
   */
  .extend('counted', { scope: 'file' }, async ({ database, account, makeLinks }) => {
    const [link = 0, otherLink = 0] = await makeLinks(2)
    const { journal, drain, close } = openImport(database)
    await appendAll(journal, [
      createClick(link, 1, { at: NOON - 86_400_000 }),
      createClick(link, 1, { at: NOON }),
      createClick(link, 2, { at: NOON, address: '20.0.0.1' }),
      createClick(otherLink, 1, { at: NOON }),
    ])
    await drain()
    await close()
    await updateLinkOrder(database.db)
    type Packed = { hours: Buffer; labels: Buffer }
    const days = await database.pool.query<Packed>(
      'select hours, labels from click_days where link_id = $1 and day = $2',
      [link, DAY],
    )
    const [{ hours, labels } = {}] = days.rows
    const accountDays = await database.pool.query<Packed>(
      'select hours, labels from account_days where account_id = $1 and day = $2',
      [account, DAY],
    )
    const accountHours = accountDays.rows[0]?.hours
    return { link, account: `account ${account}`, hours, labels, accountHours }
  })
  /** Applies a change, rolls it back, and returns the differences that the check found in between. */
  .extend('findDifferencesAfter', { scope: 'file' }, ({ database: { db } }) => {
    return async (statement: string, values: unknown[]) => {
      const differences: { of: number | string; text: string }[] = []
      const changed = db.transaction().execute(async (tx) => {
        await tx.executeQuery(CompiledQuery.raw(statement, values))
        for await (const { linkId, accountId, check, expected, found } of checkStatistics(tx)) {
          const of = linkId ?? `account ${accountId}`
          differences.push({ of, text: `${check}: ${found}, not ${expected}` })
        }
        throw ROLLBACK
      })
      await expect(changed).rejects.toBe(ROLLBACK)
      return differences
    }
  })

test('the check of statistics finds no difference in correct statistics', async ({
  counted: _counted,
  discrepancies,
}) => {
  expect(await discrepancies()).toEqual([])
})

describe('the check of statistics detects that', () => {
  const ofLink = 'where link_id = $1'
  const ofDay = `where link_id = $1 and day = '${DAY}'`

  test.for([
    [
      'clicks are missing from the total',
      `update click_totals set clicks = 2 ${ofLink}`,
      [
        'sum of days: 3, not 2',
        'sum of countries: 3, not 2',
        'sum of referrers: 3, not 2',
        'sum of browsers: 3, not 2',
        'sum of os: 3, not 2',
        'sum of devices: 3, not 2',
        'sum of languages: 3, not 2',
        'raw clicks: 3, not 2',
        'order by clicks: 3, not 2',
      ],
    ],
    [
      'a total is missing',
      `delete from click_totals ${ofLink}`,
      expect.arrayContaining(['sum of days: 3, not 0', 'raw clicks: 3, not 0']),
    ],
    [
      'a day is missing',
      `delete from click_days where link_id = $1 and day < '${DAY}'`,
      ['sum of days: 2, not 3', 'sum of new visitors: 1, not 2'],
    ],
    [
      'the details are missing',
      `delete from click_details ${ofLink}`,
      [
        'sum of countries: 0, not 3',
        'sum of referrers: 0, not 3',
        'sum of browsers: 0, not 3',
        'sum of os: 0, not 3',
        'sum of devices: 0, not 3',
        'sum of languages: 0, not 3',
      ],
    ],
    [
      'the number of visitors is too high',
      `update click_details set visitors = 3 ${ofLink}`,
      ['visitors: 2, not 3', 'sum of new visitors: 2, not 3'],
    ],
    [
      'a known visitor is missing',
      `update click_details set hashes = substring(hashes from 9) ${ofLink}`,
      ['visitors: 1, not 2'],
    ],
    [
      'known visitors were not counted',
      `insert into click_visitors values ($1, 1, '\\x00112233445566770011223344556677')`,
      ['visitors: 4, not 2'],
    ],
    [
      'a raw click is missing',
      `delete from clicks where link_id = $1 and day < '${DAY}'`,
      ['raw clicks: 2, not 3'],
    ],
    [
      'clicks from another service are missing from the total',
      `insert into click_imports values ($1, 5, '${DAY}', '${DAY}')`,
      ['raw clicks: 8, not 3'],
    ],
    [
      'a day has too many new visitors',
      `update click_days set visitors = visitors + 4 ${ofDay}`,
      ['sum of new visitors: 6, not 2', `new visitors by hour on ${DAY}: 1, not 5`],
    ],
    [
      'a position in the order belongs to another account',
      `update link_order set account_id = account_id + 1 ${ofLink}`,
      expect.arrayContaining(['account in the order by clicks: 0, not 1']),
    ],
    [
      'a position in the order is missing',
      `delete from link_order ${ofLink}`,
      expect.arrayContaining(['rows in the order by clicks: 0, not 1']),
    ],
  ])('%s', async ([_, statement, expected], { counted: { link }, findDifferencesAfter }) => {
    const found = await findDifferencesAfter(statement, [link])
    expect(found.flatMap(({ of, text }) => (of === link ? [text] : []))).toEqual(expected)
  })

  test.for(['country', 'referrer', 'browser', 'os'] as const)(
    'a link has one extra %s',
    async (kind, { database: { pool }, counted: { link }, findDifferencesAfter }) => {
      const { rows } = await pool.query<{ labels: Buffer }>(
        `select labels from click_details ${ofLink}`,
        [link],
      )
      const changed = addOneClick(rows[0]?.labels, toLabelKey(KIND[kind], 1))
      const found = await findDifferencesAfter(`update click_details set labels = $2 ${ofLink}`, [
        link,
        changed,
      ])
      const check = {
        country: 'countries',
        referrer: 'referrers',
        browser: 'browsers',
        os: 'os',
      }
      expect(found).toEqual([{ of: link, text: `sum of ${check[kind]}: 4, not 3` }])
    },
  )

  test.for([
    ['country', 'countries'],
    ['referrer', 'referrers'],
    ['browser', 'browsers'],
    ['os', 'os'],
    ['device', 'devices'],
    ['language', 'languages'],
  ] as const)(
    'a day has one extra %s',
    async ([kind, name], { counted: { link, labels }, findDifferencesAfter }) => {
      const changed = addOneClick(labels, toLabelKey(KIND[kind], 1))
      const found = await findDifferencesAfter(`update click_days set labels = $2 ${ofDay}`, [
        link,
        changed,
      ])
      expect(found).toEqual([{ of: link, text: `sum of ${name} on ${DAY}: 3, not 2` }])
    },
  )

  test.for<[counted: string, key: number, text: string]>([
    ['click', 0, `sum of hours on ${DAY}: 3, not 2`],
    ['new visitor', NEW_VISITORS_OFFSET, `new visitors by hour on ${DAY}: 2, not 1`],
  ])(
    'an hour of a day has an extra %s',
    async ([_, key, text], { counted: { link, hours }, findDifferencesAfter }) => {
      const changed = addOneClick(hours, key)
      const found = await findDifferencesAfter(`update click_days set hours = $2 ${ofDay}`, [
        link,
        changed,
      ])
      expect(found).toEqual([{ of: link, text }])
    },
  )

  test('rows exist for a deleted link', async ({ counted: _counted, findDifferencesAfter }) => {
    const text = 'rows of a link that does not exist: 1, not 0'
    for (const row of [
      'into click_totals values ($1, 0)',
      `into click_days values ($1, '${DAY}', 0, 0, '', '')`,
      `into click_details values ($1, '', 0, '')`,
      `into click_visitors values ($1, 1, '')`,
      `into clicks values (1, $1, '${DAY}', 1, '')`,
      `into click_imports values ($1, 1, '${DAY}', '${DAY}')`,
    ]) {
      expect(await findDifferencesAfter(`insert ${row}`, [888_888]), row).toEqual([
        { of: 888_888, text },
      ])
    }
  })

  test('an account has fewer clicks than its links, or lacks one of their days', async ({
    counted,
    findDifferencesAfter,
  }) => {
    const { account, accountHours } = counted
    const day = `account_days set clicks = 2, visitors = 1 where day = '${DAY}'`
    expect(await findDifferencesAfter(`update ${day}`, [])).toEqual(
      expect.arrayContaining([
        { of: account, text: `clicks of the account on ${DAY}: 2, not 3` },
        { of: account, text: `visitors of the account on ${DAY}: 1, not 2` },
        { of: account, text: `sum of countries on ${DAY}: 3, not 2` },
        { of: account, text: `sum of hours on ${DAY}: 3, not 2` },
      ]),
    )
    const deleteDay = `delete from account_days where day = '${DAY}'`
    expect(await findDifferencesAfter(deleteDay, [])).toEqual([
      { of: account, text: `clicks of the account on ${DAY}: 0, not 3` },
    ])
    const changeHours = `update account_days set hours = $1 where day = '${DAY}'`
    expect(await findDifferencesAfter(changeHours, [addOneClick(accountHours, 0)])).toEqual([
      { of: account, text: `sum of hours on ${DAY}: 4, not 3` },
    ])
  })

  test('a counter differs from the number of rows', async ({
    counted: { account },
    findDifferencesAfter,
  }) => {
    const counter = `update row_counts set rows = rows + 1 where kind = 'links'`
    expect(await findDifferencesAfter(counter, [])).toEqual([
      { of: account, text: 'counter of links: 3, not 2' },
    ])
  })
})

test('the check of statistics covers all links and days if it reads them in several ranges', async ({
  database: { pool },
  makeLinks,
  discrepancies,
  findDifferencesAfter,
}) => {
  const links = await makeLinks(12_000)
  await pool.query('insert into click_totals (link_id) select unnest($1::bigint[])', [links])
  const [firstLink = 0] = links
  await pool.query(
    `insert into click_days (link_id, day, clicks, visitors, hours, labels)
     select $1, date '2000-01-01' + n, 0, 0, '', ''
     from generate_series(1, 6000) n`,
    [firstLink],
  )
  // The account has no rows for these days.
  const ofLinks = (await discrepancies()).filter(({ linkId }) => linkId !== undefined)
  expect(ofLinks).toEqual([])
  const changedLinks = [0, 4997, 4998, 4999, 9998, 11_999].map((index) => links[index] ?? 0)
  const found = await findDifferencesAfter(
    `insert into click_days (link_id, day, clicks, visitors, hours, labels)
     select unnest($1::bigint[]), '1999-01-01', 2, 0, '', ''`,
    [changedLinks],
  )
  const sums = found.filter(({ text }) => text === 'sum of days: 2, not 0').map(({ of }) => of)
  expect(sums.map(Number).toSorted((a, b) => a - b)).toEqual(changedLinks)
})

/** Returns packed counts with one more click of a key. */
function addOneClick(packed: Buffer | undefined, key: number): Buffer {
  return addCounts(packed, toCounts(new Map([[key, 1]])), 0)
}
