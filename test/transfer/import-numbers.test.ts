import { expect } from 'vitest'
import { appTest } from '../support/test.ts'
import { createFile, createTransferCommands, jsonl } from '../support/transfer.ts'

const test = appTest()

const url = 'https://example.com/x'
const day = new Date(Date.now() - 5 * 86_400_000).toISOString().slice(0, 10)
const createDay = (fields: object) => ({ days: [{ day, clicks: 3, ...fields }] })
const WHOLE_NUMBER_RULE = 'must be a whole number'

test.for<[fields: object, problem: string]>([
  [createDay({ hours: { '13.5': 1 } }), 'days[0].hours.13.5 must be an hour from 0 to 23'],
  [createDay({ hours: { '-1': 1 } }), 'days[0].hours.-1 must be an hour from 0 to 23'],
  [createDay({ hours: { '24': 1 } }), 'days[0].hours.24 must be an hour from 0 to 23'],
  [createDay({ hours: { '': 1 } }), 'days[0].hours. must be an hour from 0 to 23'],
  [createDay({ hours: { '1e1': 1 } }), 'days[0].hours.1e1 must be an hour from 0 to 23'],
  [createDay({ hours: { '5': 1, '05': 1 } }), 'days[0].hours.05 must be an hour from 0 to 23'],
  [createDay({ hours: { NaN: 1 } }), 'days[0].hours.NaN must be an hour from 0 to 23'],
  [createDay({ hours: { 13: 0.5 } }), `days[0].hours.13 ${WHOLE_NUMBER_RULE}`],
  [createDay({ hours: { 13: -1 } }), `days[0].hours.13 ${WHOLE_NUMBER_RULE}`],
  [createDay({ hours: { 13: '1.5' } }), `days[0].hours.13 ${WHOLE_NUMBER_RULE}`],
  [createDay({ hours: { 13: 4 } }), 'days[0].hours add up to 4, more than the 3 clicks'],
  [createDay({ hours: [3] }), 'days[0].hours must be an object of numbers'],
  [createDay({ clicks: 0, hours: { 13: 4 } }), 'days[0].hours add up to 4, more than the 0 clicks'],
  [createDay({ clicks: 2.5 }), `days[0].clicks ${WHOLE_NUMBER_RULE}`],
  [createDay({ clicks: -2 }), `days[0].clicks ${WHOLE_NUMBER_RULE}`],
  [createDay({ clicks: 'NaN' }), `days[0].clicks ${WHOLE_NUMBER_RULE}`],
  [createDay({ clicks: 2 ** 53 }), `days[0].clicks ${WHOLE_NUMBER_RULE}`],
  [createDay({ clicks: 2 ** 53 - 1 }), 'clicks must be at most 5000000000'],
  [createDay({ countries: { Germany: 1.5 } }), `days[0].countries.Germany ${WHOLE_NUMBER_RULE}`],
  [createDay({ languages: { de: -1 } }), `days[0].languages.de ${WHOLE_NUMBER_RULE}`],
  [{ clicks: 1.5 }, `clicks ${WHOLE_NUMBER_RULE}`],
  [{ clicks: -1 }, `clicks ${WHOLE_NUMBER_RULE}`],
  [{ clicks: 2 ** 53 }, `clicks ${WHOLE_NUMBER_RULE}`],
  [{ clicks: 5_000_000_001 }, 'clicks must be at most 5000000000'],
  [{ clicks: 1, browsers: { Firefox: 0.1 } }, `browsers.Firefox ${WHOLE_NUMBER_RULE}`],
  [{ clicks: 1, browsers: { Firefox: 2 } }, 'browsers add up to 2, more than the 1 clicks'],
  [{ createdAt: 1_700_000_000.5 }, 'createdAt is not a date that can be read: 1700000000.5'],
  [{ createdAt: -1 }, 'createdAt is not a date that can be read: -1'],
  [{ clicks: 1, lastClickAt: -1 }, 'lastClickAt must be in the past'],
  [{ clicks: 1, lastClickAt: '0001-01-01' }, 'lastClickAt must be in the past'],
  [{ clicks: 1, lastClickAt: '9999-01-01' }, 'lastClickAt must be in the past'],
])(
  'an import of %j names the field, and imports the link without its value',
  async ([fields, problem], { make, app, request }) => {
    const owner = await make.owner()
    const transfer = createTransferCommands(app, owner)
    const valid = {
      alias: `kept-${owner.account.id}`,
      url,
      ...createDay({ hours: { 0: 1, 23: 2 } }),
    }
    const bad = { alias: `bad-${owner.account.id}`, url, ...fields }
    const file = await createFile(jsonl(bad, valid), 'links.jsonl')
    const { notices, ...counts } = await transfer.import(file, 'jsonl')
    expect(counts).toMatchObject({ rows: 2, created: 2, refused: 0, noticed: 1, problems: [] })
    expect(notices).toEqual([`Row 1 (${bad.alias}): imported without this value: ${problem}`])
    const reply = await request({
      url: `/api/stats?interval=hour&from=${day}&to=${day}`,
      headers: owner.headers,
    })
    const hours = reply.json().data.timeline.map(({ clicks }: { clicks: number }) => clicks)
    expect(hours).toEqual([1, ...Array(22).fill(0), 2])
    expect(await transfer.check()).toContain('agree')
  },
)

test.for([
  ['1234', 1234],
  ['"1,234"', 1234],
  ['1 234 567', 1_234_567],
  ["1'234", 1234],
  ['12.0', 12],
])(
  'an import parses the click count %s in a CSV file as %i',
  async ([cell, clicks], { make, app }) => {
    const owner = await make.owner()
    const file = await createFile(`alias,url,clicks\nn-${owner.account.id},${url},${cell}\n`)
    expect(await createTransferCommands(app, owner).import(file, 'csv')).toMatchObject({
      created: 1,
      clicks,
    })
  },
)

test.for(['"1,5"', '1.5', '1.234', '-1', '0x10', '1e3', 'NaN', 'Infinity', '9007199254740993'])(
  'an import leaves out the click count %s of a CSV file',
  async (cell, { make, app }) => {
    const owner = await make.owner()
    const file = await createFile(`alias,url,clicks\nn-${owner.account.id},${url},${cell}\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 1, clicks: 0, refused: 0 })
    expect(result.notices).toEqual([
      expect.stringContaining(`"clicks" must be a whole number, not ${cell.replaceAll('"', '')}`),
    ])
  },
)
