import { describe, expect } from 'vitest'
import { createFile, createTransferCommands, jsonl, transferTest } from '../support/transfer.ts'

const test = transferTest()
const target = 'https://example.com/x'
const PAST = '2020-01-02 03:04:05'
const BCRYPT = '$2b$10$abcdefghijklmnopqrstuuKc0P3yFvIbp1oUKYJ0lUOAcsNvVbgrK'

describe('a column that restricts links', () => {
  test.for<[name: string, header: string, cells: string, status: number]>([
    ['a password hash', 'password', BCRYPT, 200],
    ['the expiration of Kutt', 'expire_in', PAST, 410],
    ['the time of an expiration', 'expire_time', '1577934245', 410],
    ['the expiration of Dub', 'expiresAt', '2020-01-02T03:04:05.000Z', 410],
    ['a day in the sheet of a spreadsheet', 'Valid until', '43831.5', 410],
    ['a ban', 'banned', 'true', 410],
    ['a deletion', 'deleted_at', PAST, 410],
    ['a status', 'Status', 'Inactive', 410],
    ['an activity', 'is_active', 'f', 410],
    ['a click limit that is used up', 'clicksLimit,clicks', '5,5', 410],
    ['a start', 'validSince', '2999-01-01', 404],
  ])('is honored: %s', async ([, header, cells, status], { app, make, request }) => {
    const owner = await make.owner()
    const alias = `honored-${owner.account.id}`
    const file = await createFile(`slug,url,${header}\n${alias},${target},${cells}\n`)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 1, refused: 0, unused: [], notices: [] })
    expect((await request({ url: `/${alias}` })).statusCode).toBe(status)
  })

  test.for<[header: string, cell: string, problem: RegExp]>([
    ['password', 'true', /"password" says that the link has a password, which the file/],
    ['password', 'hunter2', /"password" must be an argon2 or bcrypt hash/],
    ['password', 'none', /"password" must be an argon2 or bcrypt hash/],
    ['Has password', 'yes', /"Has password" restricts the link and cannot be imported \(yes\)/],
    ['expire_in', '3 days', /"expire_in" is not a date that can be read: 3 days/],
    ['expire_in', '86400', /"expire_in" is not a date that can be read: 86400/],
    ['Expires', '86400', /"Expires" is not a date that can be read: 86400/],
    ['Expires', '02/01/2031', /"Expires" is not .*choose whether the day or the month comes first/],
    ['max_visits', '1.000', /"max_visits" must be a whole number, not 1\.000/],
    ['Expires', 'Feb 30, 2031', /"Expires" is not a date that can be read: Feb 30, 2031/],
    ['max_visits', 'ten', /"max_visits" must be a whole number, not ten/],
    ['disabled', 'spam', /"disabled" must be true or false, not spam/],
    ['Status', 'frozen', /"Status" must be active or disabled, not frozen/],
    ['archived', 'maybe', /"archived" must be true or false, not maybe/],
    ['geo', 'DE', /"geo" must be a JSON object of destinations by country/],
    ['Active till', '2020-01-02', /"Active till" restricts the link/],
    ['Launch date', '2099-01-02', /"Launch date" restricts the link/],
    ['Offline', 'true', /"Offline" restricts the link/],
    ['Approved', 'no', /"Approved" restricts the link/],
    ['Once', 'yes', /"Once" restricts the link/],
    ['Backup URL', 'https://other.example/', /"Backup URL" restricts the link/],
    ['Huawei', 'https://other.example/', /"Huawei" restricts the link/],
    ['google', '12', /"google" must be a valid http or https URL/],
    ['windowsTarget', target, /"windowsTarget" restricts the link/],
    ['Visibility', 'private', /"Visibility" restricts the link/],
    ['secret_key', 'abc', /"secret_key" restricts the link/],
    ['Country redirect', target, /"Country redirect" restricts the link/],
    ['Läuft ab', '31.12.2030', /"Läuft ab" restricts the link/],
    ['One-time', '1', /"One-time" restricts the link/],
    ['Zugangscode', 'abc', /"Zugangscode" restricts the link/],
    ["Code d'accès", 'abc', /"Code d'accès" restricts the link/],
    ['Clave', 'abc', /"Clave" restricts the link/],
    ['Gueltig bis', '31.12.2030', /"Gueltig bis" restricts the link/],
    ['Date de fin', '31/12/2030', /"Date de fin" restricts the link/],
    ['Fecha de inicio', '31/12/2030', /"Fecha de inicio" restricts the link/],
    ['Not after', '2030-12-31', /"Not after" restricts the link/],
    ['Maximale Klicks', '5', /"Maximale Klicks" restricts the link/],
    ['Clics restants', '5', /"Clics restants" restricts the link/],
    ['Clicks cap', '5', /"Clicks cap" restricts the link/],
    ['Borrado', 'sí', /"Borrado" restricts the link/],
    ['En pause', 'oui', /"En pause" restricts the link/],
    ['Veröffentlicht', 'nein', /"Veröffentlicht" restricts the link/],
    ['Published', 'draft', /"Published" restricts the link/],
    ['Zustand', 'pausiert', /"Zustand" restricts the link/],
    ['Estado', 'Inactiva', /"Estado" restricts the link/],
    ['Privé', 'oui', /"Privé" restricts the link/],
    ['Nur für Mitglieder', 'ja', /"Nur für Mitglieder" restricts the link/],
    ['Erlaubte Länder', 'DE', /"Erlaubte Länder" restricts the link/],
    ['Países permitidos', 'ES', /"Países permitidos" restricts the link/],
    ['Dispositivo', target, /"Dispositivo" restricts the link/],
    ['Regeln', 'DE', /"Regeln" restricts the link/],
    ['Full URL', 'https://other.example/', /"Full URL" restricts the link/],
    ['testVariants', '[{"url":"https://a.example/"}]', /"testVariants" restricts the link/],
  ])(
    'rejects the row if it cannot be honored: %s %s',
    async ([header, cell, problem], { app, make, listUrls }) => {
      const owner = await make.owner()
      const quoted = `"${cell.replaceAll('"', '""')}"`
      const alias = `refused-${owner.account.id}`
      const free = `${alias}-free`
      const file = await createFile(
        `slug,url,${header}\n${alias},${target},${quoted}\n${free},${target},\n`,
      )
      const transfer = createTransferCommands(app, owner)
      const result = await transfer.import(file, 'csv')
      expect(result).toMatchObject({ created: 1, refused: 1, notices: [] })
      expect(result.problems[0].problem).toMatch(problem)
      expect(await listUrls(owner)).toMatchObject([{ alias: free }])
      const ignoring = await transfer.import(file, 'csv', '--ignore', header)
      expect(ignoring).toMatchObject({ created: 1, present: 1, refused: 0, unused: [header] })
    },
  )

  test('is harmless where its cells say that nothing is set', async ({ app, make, listUrls }) => {
    const owner = await make.owner()
    const names = 'password,expires,max clicks,archived,geo,protected,Mobile,Visibility'
    const others =
      'Publicado,Gültig,Zustand,Pays,Validité,Zugriffe,Public stats,Updated,Internal note'
    const header = `slug,url,${names},${others}`
    const rows = [
      'false,0000-00-00 00:00:00,0,no,{},f,12,public,sí,ja,aktiv,FR,illimité,7,yes,2024-01-02,x',
      'NULL,never,unlimited,0,null,\\N,,,2024-01-02,gültig,,,jamais,,no,,',
    ]
    const lines = rows.map((row, index) => `free-${index},${target},${row}`)
    const file = await createFile([header, ...lines, ''].join('\n'))
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    const unused = ['Zugriffe', 'Public stats', 'Updated', 'Internal note']
    const notices = [`Ignored columns: ${unused.join(', ')}.`]
    expect(result).toMatchObject({ created: 2, refused: 0, unused, notices })
    expect(await listUrls(owner)).toHaveLength(2)
  })

  test('is reported by its position if it has no name, and not if it repeats the destination', async ({
    app,
    make,
  }) => {
    const owner = await make.owner()
    const content = `slug,Long URL,,Original URL,\nun-1,${target},,${target},\nun-2,${target},secret,,\n`
    const file = await createFile(content)
    const result = await createTransferCommands(app, owner).import(file, 'csv')
    expect(result).toMatchObject({ created: 2, refused: 0, unused: ['Column 3'] })
  })

  test.for(['ios,android', 'apple,google'])(
    'sends visitors of iPads, phones and countries where it did at the source: %s',
    async (devices, { app, make, request, listUrls }) => {
      const owner = await make.owner()
      const geo = '"{""DE"":""https://de.example/""}"'
      const alias = `targets-${owner.account.id}`
      const row = `${alias},${target},true,https://ios.example/,https://android.example/,${geo}`
      const file = await createFile(`key,url,archived,${devices},geo\n${row}\n`)
      await createTransferCommands(app, owner).import(file, 'csv')
      const links = await request({ url: '/api/urls?archived=true', headers: owner.headers })
      const [link] = [...links.json().data.urls, ...(await listUrls(owner))]
      const reply = await request({ url: `/api/url/${link.id}`, headers: owner.headers })
      expect(reply.json().details).toMatchObject({
        location: { germany: 'https://de.example/' },
        device: {
          iphone: 'https://ios.example/',
          ipad: 'https://ios.example/',
          android: 'https://android.example/',
        },
      })
    },
  )
})

test.for([
  ['a password', 'password', '', BCRYPT],
  ['an expiration', 'expires', '', '2099-01-01'],
  ['a switch', 'disabled', 'no', 'yes'],
  ['an archive date', 'archived', '', '1'],
  ['a click limit', 'max_visits', '9', '3'],
  ['a target', 'ios', '', 'https://ios.example/'],
  ['a missing password', 'password', BCRYPT, ''],
] as const)(
  'a row is rejected if an earlier one lacks its restriction: %s',
  async ([, header, first, second], { app, make, listUrls }) => {
    const owner = await make.owner()
    const alias = `twice-${owner.account.id}`
    const rows = [`${first},One`, `${second},Two`, `${first},Three`]
    const lines = rows.map((row) => `${alias},${target},${row}`)
    const file = await createFile([`slug,url,${header},title`, ...lines, ''].join('\n'))
    const transfer = createTransferCommands(app, owner)
    const problems = [
      { row: 3, alias, problem: expect.stringMatching(/^an earlier row has the same/) },
    ]
    const counts = { present: 1, refused: 1, taken: 0, problems }
    expect(await transfer.import(file, 'csv', '--dry-run')).toMatchObject({ created: 1, ...counts })
    expect(await transfer.import(file, 'csv')).toMatchObject({ created: 1, ...counts })
    expect(await listUrls(owner)).toMatchObject([{ alias, title: 'One' }])
  },
)

test.for([
  ['a password', 'password', BCRYPT],
  ['an expiration', 'expires', '2020-01-02'],
  ['a start', 'starts at', '2099-01-02'],
  ['a switch', 'disabled', 'yes'],
  ['an archive date', 'archived', PAST],
  ['a click limit', 'max_visits', '3'],
  ['a target', 'ios', 'https://ios.example/'],
] as const)(
  'a row is rejected if the existing link lacks its restriction: %s',
  async ([, header, cell], { app, make, request }) => {
    const owner = await make.owner()
    const aliases = [`known-${owner.account.id}`, `other-${owner.account.id}`]
    const transfer = createTransferCommands(app, owner)
    const write = (name: string, value: string) =>
      createFile(
        `slug,url,${name}\n${aliases.map((each) => `${each},${target},${value}\n`).join('')}`,
      )
    await make.link(owner, { alias: aliases[1], url: target })
    const unrestricted = await write('title', 'x')
    expect(await transfer.import(unrestricted, 'csv')).toMatchObject({ created: 1, present: 1 })
    const restricted = await write(header, cell)
    const problem = expect.stringMatching(/^this account already has the link, but without this/)
    const expected = {
      created: 0,
      present: 0,
      refused: 2,
      problems: aliases.map((alias) => ({ alias, problem })),
    }
    expect(await transfer.import(restricted, 'csv', '--dry-run')).toMatchObject(expected)
    expect(await transfer.import(restricted, 'csv')).toMatchObject(expected)
    expect((await request({ url: `/${aliases[0]}` })).statusCode).toBe(302)
  },
)

test('a row without restrictions leaves those of the existing link', async ({ app, make }) => {
  const owner = await make.owner()
  const transfer = createTransferCommands(app, owner)
  const restricted = await createFile(
    `slug,url,password,expires,disabled\nkept,${target},${BCRYPT},2020-01-02,yes\n`,
  )
  const other = await createFile(`slug,url,expires\nkept,${target},2021-01-02\n`)
  expect(await transfer.import(restricted, 'csv')).toMatchObject({ created: 1 })
  expect(await transfer.import(restricted, 'csv')).toMatchObject({ present: 1, refused: 0 })
  expect(await transfer.import(other, 'csv')).toMatchObject({ present: 1, refused: 0 })
})

test('an unknown field of JSONL that restricts a link rejects its line', async ({ app, make }) => {
  const owner = await make.owner()
  const transfer = createTransferCommands(app, owner)
  const lines = jsonl(
    { alias: 'jl-1', url: target, expiresIn: '3d' },
    { alias: 'jl-2', url: target, isPrivate: true },
    { alias: 'jl-3', url: target, isPrivate: false, maxVisits: 0, status: 'active' },
    { alias: 'jl-4', url: target, status: 'disabled' },
    { alias: 'jl-5', url: target, enabled: false },
    { alias: 'jl-6', url: target, expiresAt: 86_400 },
    { alias: 'jl-7', url: target, meta: { title: 'x', validUntil: PAST } },
    { alias: 'jl-8', url: target, options: [{ name: 'x', more: { password: 'y' } }] },
    { alias: 'jl-9', url: target, redirect: 'https://other.example/' },
    { alias: 'jl-11', url: target, apple: 'https://apple.example/' },
    { alias: 'jl-10', url: target, password: false, redirect: 301, options: [{ password: '' }] },
  )
  const file = await createFile(lines, 'links.jsonl')
  const { problems, ...counts } = await transfer.import(file, 'jsonl')
  expect(counts).toMatchObject({ created: 2, refused: 9 })
  expect(problems).toMatchObject([
    { row: 1, alias: 'jl-1', problem: expect.stringMatching(/^expiresIn restricts the link/) },
    { row: 2, alias: 'jl-2', problem: expect.stringMatching(/^isPrivate restricts the link/) },
    { row: 4, alias: 'jl-4', problem: expect.stringMatching(/^status restricts the link/) },
    { row: 5, alias: 'jl-5', problem: expect.stringMatching(/^enabled restricts the link/) },
    { row: 6, alias: 'jl-6', problem: 'expiresAt is not a date that can be read: 86400' },
    { row: 7, alias: 'jl-7', problem: expect.stringMatching(/^meta\.validUntil restricts/) },
    {
      row: 8,
      alias: 'jl-8',
      problem: expect.stringMatching(/^options\.0\.more\.password restricts/),
    },
    { row: 9, alias: 'jl-9', problem: expect.stringMatching(/^redirect restricts/) },
    { row: 10, alias: 'jl-11', problem: expect.stringMatching(/^apple restricts/) },
  ])
  const ignoring = await transfer.import(file, 'jsonl', '--ignore', 'expiresIn,isPrivate')
  expect(ignoring).toMatchObject({ created: 2, present: 2, refused: 7 })
})

test('a CSV export says which links have a password, and its import rejects them', async ({
  app,
  make,
}) => {
  const owner = await make.owner()
  await make.link(owner, { alias: 'locked-export', password: 'hunter2' })
  const exported = await createTransferCommands(app, owner).export('csv')
  const other = createTransferCommands(app, await make.owner())
  const file = await createFile(exported.replace(/^(.*?),locked-export,/m, '$1,locked-again,'))
  const { problems } = await other.import(file, 'csv')
  expect(problems[0].problem).toMatch(/"Password" says that the link has a password/)
})
