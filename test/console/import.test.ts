import { expect, onTestFinished, vi } from 'vitest'
import { countLinks, listImports } from '../../src/transfer/transfer.service.ts'
import { signIn } from '../support/console.ts'
import { openPatiently } from '../support/database.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('checks pasted rows, imports them and offers rejected rows for download', async ({
  app,
  make,
}) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const content = 'alias,url\npasted,https://example.com/\n<b>x</b>,https://example.com/\n'
  const fields = { kind: 'csv', onTaken: 'skip', content }
  const checked = await person.send('/console/import', { ...fields, go: 'check' })
  expect(checked.statusCode).toBe(200)
  expect(checked.body).toContain('<h2 id="result">Review</h2>')
  expect(checked.body).toContain('&lt;b&gt;x&lt;/b&gt;')
  expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(0)
  const imported = await person.send('/console/import', { ...fields, go: 'import' })
  expect(imported.body).toContain('<h2 id="result">Result</h2>')
  expect(await countLinks({ db: app.services.db, accountId: owner.account.id })).toBe(1)
  const [, report = ''] = /href="(\/console\/import\/\d+\/report)"/.exec(imported.body) ?? []
  expect((await person.open(report)).body).toContain('3,<b>x</b>,"""alias"" must be')
  const otherOwner = await signIn(app, (await make.owner()).account.email)
  expect((await otherOwner.open(report)).statusCode).toBe(404)
})

test('the import form shows an error for invalid CSV and keeps the pasted text', async ({
  app,
  make,
}) => {
  const person = await signIn(app, (await make.owner()).account.email)
  const fields = { kind: 'csv', onTaken: 'skip', content: 'nonsense', go: 'check' }
  const reply = await person.send('/console/import', fields)
  expect(reply.statusCode).toBe(422)
  expect(reply.body).toContain('Select the column that contains the destination URL.')
  expect(reply.body).toContain('>\nnonsense</textarea>')
})

test('an export contains all links of the account', async ({ app, make }) => {
  const owner = await make.owner()
  await make.link(owner, { alias: 'exported' })
  const person = await signIn(app, owner.account.email)
  for (const format of ['jsonl', 'csv']) {
    const reply = await person.open(`/console/export?format=${format}`)
    expect(reply.statusCode).toBe(200)
    expect(reply.headers['content-disposition']).toMatch(
      new RegExp(`^attachment; filename="brevis-links-.*\\.${format}"$`),
    )
    expect(reply.body).toContain('exported')
  }
  expect((await person.open('/console/export?format=xml')).statusCode).toBe(404)
})

test('an account has only one running export', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const database = openPatiently(app.databaseUrl)
  onTestFinished(() => database.close())
  const client = await database.pool.connect()
  let firstExport: ReturnType<typeof person.open>
  try {
    // Pauses the first export.
    await client.query('begin; lock table links in access exclusive mode')
    firstExport = person.open('/console/export?format=csv')
    const isWaiting = async () => {
      const { rows } = await client.query('select from pg_locks where not granted')
      return rows.length > 0
    }
    await vi.waitUntil(isWaiting, { timeout: 60_000 })
    expect((await person.open('/console/export?format=csv')).statusCode).toBe(503)
    expect((await person.open('/console/export?format=jsonl')).statusCode).toBe(503)
  } finally {
    await client.query('rollback')
    client.release()
  }
  expect((await firstExport).statusCode).toBe(200)
  expect((await person.open('/console/export?format=jsonl')).statusCode).toBe(200)
})

test('concurrent imports of pasted rows are listed separately', async ({ app, make }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const paste = (alias: string) => {
    const content = `alias,url\n${alias},https://example.com/`
    return person.send('/console/import', { kind: 'csv', onTaken: 'skip', content, go: 'import' })
  }
  expect((await paste('pasted-1')).statusCode).toBe(200)
  const database = openPatiently(app.databaseUrl)
  onTestFinished(() => database.close())
  await database.pool.query(`update imports set state = 'running' where account_id = $1`, [
    owner.account.id,
  ])
  expect((await paste('pasted-2')).statusCode).toBe(200)
  const imports = await listImports({ db: app.services.db, accountId: owner.account.id })
  expect(imports.map(({ state, rows }) => [state, rows])).toEqual([
    ['done', 1],
    ['running', 1],
  ])
})
