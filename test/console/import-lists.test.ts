import { parse } from 'csv-parse/sync'
import { expect } from 'vitest'
import { uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({})

const LIST = 'https://example.com/1\njavascript:alert(1)\nexample.com/3\n'

function expectShortLinks(csv: string) {
  const rows = parse(csv, { bom: true }) as string[][]
  expect(rows).toEqual([
    ['Row', 'Long URL', 'Short URL', 'Error'],
    ['1', 'https://example.com/1', expect.stringMatching(/\/\w{7}$/), ''],
    ['2', 'javascript:alert(1)', '', expect.stringContaining('url must')],
    ['3', 'https://example.com/3', expect.stringMatching(/\/\w{7}$/), ''],
  ])
}

test('an uploaded list of destinations comes back with short links', async ({
  newUser,
  worker,
}) => {
  const { person, upload } = await newUser()
  const stranger = await newUser()
  const url = String((await upload(LIST, { kind: 'list' }, 'list.txt')).headers.location)
  const { drain } = worker()
  await drain()
  const checked = (await person.open(url)).body
  expect(checked).toContain('Links to create</th><td class="number">2</td>')
  expect(checked).not.toContain(`${url}/links`)
  await person.send(`${url}/start`)
  await drain()
  expect((await person.open(url)).body).toContain(`href="${url}/links" download`)
  const file = await person.open(`${url}/links`)
  expect(file.headers['content-disposition']).toBe('attachment; filename="short-links.csv"')
  expectShortLinks(file.body)
  expect((await stranger.person.open(`${url}/links`)).statusCode).toBe(404)
})

test('a pasted list of destinations comes back with short links', async ({ newUser }) => {
  const { person } = await newUser()
  const fields = { kind: 'list', onTaken: 'skip', content: LIST }
  const checked = await person.send('/console/import', { ...fields, go: 'check' })
  expect(checked.body).toContain('Links to create</th><td class="number">2</td>')
  const imported = await person.send('/console/import', { ...fields, go: 'import' })
  const [, href = ''] = /href="(\/console\/import\/\d+\/links)" download/.exec(imported.body) ?? []
  expectShortLinks((await person.open(href)).body)
})

test('the short links of other imports cannot be downloaded', async ({ newUser }) => {
  const { person, upload } = await newUser()
  const url = String((await upload('alias,url\n', {}, 'a.csv')).headers.location)
  expect((await person.open(`${url}/links`)).statusCode).toBe(404)
})

test('the order of day and month of a CSV file can be selected', async ({ newUser, worker }) => {
  const { person, upload } = await newUser()
  const content = 'alias,url,expires\ndate-order,https://example.com/,02/01/2031\n'
  const url = String((await upload(content, {}, 'a.csv')).headers.location)
  const { drain } = worker()
  await drain()
  expect((await person.open(url)).body).toContain('choose whether the day or the month comes first')
  await person.send(`${url}/columns`, { dates: 'dmy' })
  await drain()
  const checked = (await person.open(url)).body
  expect(checked).toContain('<option value="dmy" selected>Day first</option>')
  expect(checked).toContain('Links to create</th><td class="number">1</td>')
  const fields = { kind: 'csv', onTaken: 'skip', content, go: 'check', dates: 'mdy' }
  const pasted = (await person.send('/console/import', fields)).body
  expect(pasted).toContain('<option value="mdy" selected>Month first</option>')
  expect(pasted).toContain('Links to create</th><td class="number">1</td>')
})

test('a restricting column is shown, and its rows are imported once it is ignored', async ({
  newUser,
  worker,
}) => {
  const { person, upload } = await newUser()
  const content = 'alias,url,created,Has password\nlocked-c,https://example.com/,soon,yes\n'
  const url = String((await upload(content, {}, 'a.csv')).headers.location)
  const { drain } = worker()
  await drain()
  const checked = (await person.open(url)).body
  expect(checked).toContain('<option value="restriction" selected>')
  expect(checked).toContain('restricts the link and cannot be imported (yes)')
  await person.send(`${url}/columns`, { column3: '' })
  await drain()
  await person.send(`${url}/start`)
  await drain()
  const done = (await person.open(url)).body
  expect(done).toContain('Links created</th><td class="number">1</td>')
  expect(done).toContain('<h2 id="notices">Imported without these values</h2>')
  expect(done).toContain('is not a date that can be read: soon')
})
