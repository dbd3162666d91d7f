import { expect } from 'vitest'
import { welcome } from '../../src/process/welcome.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('the start tells how to name an admin where accounts have none', async ({ app, owner }) => {
  const config = { ...app.services.config, databaseUrl: app.databaseUrl }
  const greet = (console: boolean) => welcome({ ...config, console }, { embedded: false })
  expect(await greet(true)).toBe('')
  const { db } = app.services.database
  await db
    .updateTable('accounts')
    .set({ admin: false })
    .where('id', '=', owner.account.id)
    .execute()
  expect(await greet(true)).toContain('npx brevis account admin <username> on')
  expect(await greet(false)).toBe('')
})
