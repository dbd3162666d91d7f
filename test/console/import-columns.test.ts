import { describe, expect } from 'vitest'
import { countLinks } from '../../src/transfer/transfer.service.ts'
import { uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({ IMPORT_UPLOAD_MB: '2' })

type Row = { column: string; sample: string; field: string }

/** Returns the columns that a page shows, with their samples and selected fields. */
function readColumns(body: string): Row[] {
  const rows = body.matchAll(
    /<tr>\n<th scope="row">(.*?)<\/th>\n<td class="sample" data-label="Sample">(.*?)<\/td>.*?<\/tr>/gs,
  )
  return Array.from(rows, ([row, column = '', sample = '']) => ({
    column,
    sample: sample.replaceAll(/<.*?>/g, ''),
    field: / value="([^"]*)" selected/.exec(row)?.[1] ?? '',
  }))
}

/** Returns the hidden field that identifies the columns of pasted rows. */
function readHeaderField(body: string): string {
  const [, text = ''] = /name="header" value="([^"]*)"/.exec(body) ?? []
  return text.replaceAll('&quot;', '"')
}

const content = [
  'Kurzname,Long URL,Notes,Slug,,Clicks',
  'eins,https://example.com/1,,a b,x,1',
  'zwei,https://example.com/2,"call <b>Bob</b>",c d,,2',
  '',
].join('\n')

describe('the columns of an uploaded CSV file', () => {
  test('are shown with a sample and the detected field, and can be changed', async ({
    app,
    newUser,
    worker,
  }) => {
    const { owner, person, upload } = await newUser()
    const url = String((await upload(content, {}, 'links.csv')).headers.location)
    const { drain } = worker()
    await drain()
    const checked = (await person.open(url)).body
    expect(readColumns(checked)).toEqual([
      { column: 'Kurzname', sample: 'eins', field: '' },
      { column: 'Long URL', sample: 'https://example.com/1', field: 'url' },
      { column: 'Notes', sample: 'call &lt;b&gt;Bob&lt;/b&gt;', field: '' },
      { column: 'Slug', sample: 'a b', field: 'alias' },
      { column: 'Column 5', sample: 'x', field: '' },
      { column: 'Clicks', sample: '1', field: 'clicks' },
    ])
    expect(checked).toContain('Ignored columns: Kurzname, Notes, Column 5.')
    expect(checked).toContain('Invalid</th><td class="number">2</td>')

    const form = { column0: 'alias', column2: 'metaTitle', column3: '' }
    const reply = await person.send(`${url}/columns`, form)
    expect([reply.statusCode, reply.headers.location]).toEqual([303, url])
    await drain()
    const checkedAgain = (await person.open(url)).body
    expect(readColumns(checkedAgain).map(({ field }) => field)).toEqual([
      'alias',
      'url',
      'metaTitle',
      '',
      '',
      'clicks',
    ])
    expect(checkedAgain).toContain('Links to create</th><td class="number">2</td>')
    expect(checkedAgain).toContain('Ignored columns: Slug, Column 5.')
    expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(0)

    await person.send(`${url}/start`)
    await drain()
    const done = (await person.open(url)).body
    expect(done).toContain('Links created</th><td class="number">2</td>')
    expect(readColumns(done)).toEqual([])
    expect((await person.open(`${url}/report`)).body).toContain('Ignored columns: Slug, Column 5.')
    const links = await app.request({ url: '/api/urls', headers: owner.headers })
    expect(links.json().data.urls).toMatchObject([
      { alias: 'zwei', title: 'call <b>Bob</b>', clicks: 2 },
      { alias: 'eins', clicks: 1 },
    ])
    expect((await person.send(`${url}/columns`, form)).statusCode).toBe(404)
  })

  test('must include a destination and an alias, and each field only once', async ({
    newUser,
    worker,
  }) => {
    const { person, upload } = await newUser()
    const url = String((await upload(content, {}, 'links.csv')).headers.location)
    const { drain } = worker()
    await drain()
    for (const [form, error] of [
      [{ column0: 'alias' }, 'Select Alias for only one column.'],
      [{ column1: '' }, 'Select the column that contains the destination URL.'],
      [{ column3: 'tags' }, 'Select the column that contains the alias or the short URL.'],
    ] as const) {
      const reply = await person.send(`${url}/columns`, form)
      expect([reply.statusCode, reply.body]).toEqual([422, expect.stringContaining(error)])
      // The form keeps the selected field, such as `tags` for column 3.
      const [[name, field] = ['', '']] = Object.entries(form)
      expect(readColumns(reply.body)[Number(name.at(-1))]?.field).toBe(field)
    }
    expect(readColumns((await person.open(url)).body)[3]?.field).toBe('alias')
  })

  test('can be set manually if no field was detected', async ({ newUser, worker }) => {
    const { person, upload } = await newUser()
    const germanFile = 'Ziel;Kürzel\nhttps://example.com/;neu\n'
    const url = String((await upload(germanFile, {}, 'links.csv')).headers.location)
    const { drain } = worker()
    await drain()
    const failed = (await person.open(url)).body
    expect(failed).toContain('The check failed. Nothing has changed.')
    expect(failed).toContain('No column contains the destination URL')
    expect(readColumns(failed).map(({ column }) => column)).toEqual(['Ziel', 'Kürzel'])
    await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
    expect((await person.open(url)).body).toMatch(
      /Keine Spalte enthält die Ziel-URL[^.]+\. Die Spalten sind: Ziel, Kürzel\./,
    )
    await person.send('/console/settings', { language: 'en', timeZone: 'UTC' })
    await person.send(`${url}/columns`, { column0: 'url', column1: 'alias' })
    await drain()
    expect((await person.open(url)).body).toContain('Links to create</th><td class="number">1</td>')
  })

  test('cannot be changed by other accounts or in columns that do not exist', async ({
    newUser,
    worker,
  }) => {
    const uploader = await newUser()
    const otherUser = await newUser()
    const url = String((await uploader.upload(content, {}, 'links.csv')).headers.location)
    expect((await otherUser.person.send(`${url}/columns`, { column0: 'url' })).statusCode).toBe(404)
    const unknownColumns = {
      column0: 'account_id',
      column999: 'alias',
      column: 'alias',
      columnx: 'url',
    }
    expect((await uploader.person.send(`${url}/columns`, unknownColumns)).statusCode).toBe(303)
    await worker().drain()
    expect(readColumns((await uploader.person.open(url)).body).map(({ field }) => field)).toEqual([
      '',
      'url',
      '',
      'alias',
      '',
      'clicks',
    ])
  })

  test.for([
    ['in Windows-1252', Buffer.from(`${content}caf\u00e9`, 'latin1')],
    ['with an open quote', Buffer.from('"alias,url\n')],
    ['with 2000 columns', Buffer.from(`alias,url${',x'.repeat(2000)}\n`)],
  ] as const)('are not shown for a file %s', async ([, file], { newUser, worker }) => {
    const { person, upload } = await newUser()
    const url = String((await upload(new Uint8Array(file), {}, 'a.csv')).headers.location)
    await worker().drain()
    const page = await person.open(url)
    expect([page.statusCode, readColumns(page.body)]).toEqual([200, []])
    expect(page.body).toContain('The check failed.')
  })
})

test('the columns of pasted rows are shown and can be changed', async ({ app, newUser }) => {
  const { owner, person } = await newUser()
  const renamed = content.replaceAll(/^(eins|zwei)/gm, 'pasted-$1')
  const paste = (go: string, fields: object = {}) =>
    person.send('/console/import', {
      kind: 'csv',
      onTaken: 'skip',
      content: renamed,
      go,
      ...fields,
    })
  const first = await paste('check')
  expect(readColumns(first.body)[0]).toEqual({
    column: 'Kurzname',
    sample: 'pasted-eins',
    field: '',
  })
  const header = readHeaderField(first.body)
  const changes = { header, column0: 'alias', column3: '' }
  const rejected = await paste('import', { ...changes, column3: 'alias' })
  expect([rejected.statusCode, rejected.body]).toEqual([
    422,
    expect.stringContaining('Select Alias for only one column.'),
  ])
  const second = await paste('check', changes)
  expect(readColumns(second.body)[0]?.field).toBe('alias')
  expect(second.body).toContain('Links to create</th><td class="number">2</td>')
  expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(0)
  await paste('import', changes)
  expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(2)
  // Other columns ignore the fields selected for the previous ones.
  const otherColumns = await paste('check', {
    ...changes,
    content: 'alias,url\nx,https://example.com/\n',
  })
  expect(readColumns(otherColumns.body).map(({ field }) => field)).toEqual(['alias', 'url'])
})

test('errors of rows name the columns as in the file', async ({ newUser }) => {
  const { person } = await newUser()
  const rows = [
    'Kurz-Link,Slashtag,Destination,iOS,Android,Datum (Created),Created on',
    ',,https://example.com/,,,,',
    'a b,,https://example.com/,,,,',
    ',ok1,ftp://example.com/,,,,',
    ',ok2,https://example.com/,,javascript:1,,',
    ',ok3,https://example.com/,,,,31/31/2020',
  ]
  const fields = { kind: 'csv', onTaken: 'skip', content: rows.join('\n'), go: 'check' }
  const first = await person.send('/console/import', fields)
  const header = readHeaderField(first.body)
  const { body } = await person.send('/console/import', { ...fields, header, column0: 'shortUrl' })
  expect(readProblems(body)).toEqual([
    '&quot;Slashtag&quot; is empty',
    expect.stringMatching(/^&quot;Kurz-Link&quot; must be 1 to 64/),
    expect.stringMatching(/^&quot;Destination&quot; must be/),
    expect.stringMatching(/^&quot;Android&quot; must be/),
    expect.stringMatching(/^&quot;Created on&quot; is not a date/),
  ])
  await person.send('/console/settings', { language: 'de', timeZone: 'UTC' })
  const german = await person.send('/console/import', { ...fields, header, column0: 'shortUrl' })
  expect(readProblems(german.body)).toEqual([
    '&quot;Slashtag&quot; ist leer',
    expect.stringMatching(/^&quot;Kurz-Link&quot; muss aus 1 bis 64/),
    '&quot;Destination&quot; muss eine gültige http- oder https-URL sein',
    '&quot;Android&quot; muss eine gültige http- oder https-URL sein',
    '&quot;Created on&quot; ist kein lesbares Datum: 31/31/2020',
  ])
})

/** Returns the problems in the table of rejected rows. */
function readProblems(body: string) {
  return Array.from(body.matchAll(/data-label="Problem">(.*?)</g), ([, text]) => text)
}
