import { expect } from 'vitest'
import { appTest } from '../support/test.ts'
import { asForm, asQuery } from '../support/yourls.ts'

const test = appTest({ env: { YOURLS_API: 'off' } })

test('returns 404 if the YOURLS API is disabled', async ({ owner, request }) => {
  const fields = { signature: owner.key, action: 'version' }
  const got = await request(asQuery(fields))
  expect(got.statusCode).toBe(404)
  expect(got.headers['content-type']).toMatch(/^text\/html/)
  expect(got.body).not.toContain(owner.key)
  expect((await request(asForm(fields))).statusCode).toBe(404)
})
