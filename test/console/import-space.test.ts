import { expect } from 'vitest'
import { listImports } from '../../src/transfer/transfer.service.ts'
import { rows, uploadsTest } from '../support/uploads.ts'

const test = uploadsTest({ IMPORT_UPLOAD_MB: '2', IMPORT_UPLOADS_MB: '3' })

test("limits the total size of all accounts' files", async ({ app, newUser, worker }) => {
  const firstUser = await newUser()
  const secondUser = await newUser()
  // Valid JSON, mostly whitespace, that takes almost two of the three available megabytes.
  const large = `${rows}${' '.repeat(2_000_000)}\n`
  const firstUrl = String((await firstUser.upload(large)).headers.location)
  const rejected = await secondUser.upload(large)
  expect(rejected.statusCode).toBe(422)
  expect(rejected.body).toContain('Other imports use all the space. Try again later.')
  expect(
    await listImports({ db: app.services.db, accountId: secondUser.owner.account.id }),
  ).toEqual([])
  const { rows: files } = await app.services.database.pool.query(
    'select distinct import_id::text as id from import_files',
  )
  expect(files).toEqual([{ id: firstUrl.split('/').at(-1) }])
  // A small file still fits. When the large import has finished, another large file fits.
  expect((await secondUser.upload(rows)).statusCode).toBe(303)
  await worker().drain()
  const [small] = await listImports({ db: app.services.db, accountId: secondUser.owner.account.id })
  expect((await secondUser.person.send(`/console/import/${small?.id}/cancel`)).statusCode).toBe(303)
  expect((await firstUser.person.send(`${firstUrl}/cancel`)).statusCode).toBe(303)
  expect((await secondUser.upload(large)).statusCode).toBe(303)
})
