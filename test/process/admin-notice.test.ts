import { expect } from 'vitest'
import { prepareGreeting } from '../../src/process/welcome.ts'
import { appTest } from '../support/test.ts'

const test = appTest()

test('startup without an admin prints the command to create one', async ({ app, owner }) => {
  const config = { ...app.services.config, databaseUrl: app.databaseUrl }
  const prepareText = (console: boolean) =>
    prepareGreeting({ ...config, console }, { embedded: false })
  expect(await prepareText(true)).toBe('')
  const { db } = app.services.database
  await db
    .updateTable('users')
    .set({ admin: false })
    .where('email', '=', owner.account.email)
    .execute()
  expect(await prepareText(true)).toContain('npx brevis user admin <email> on')
  expect(await prepareText(false)).toBe('')
})
