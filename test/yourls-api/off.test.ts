import { expect } from 'vitest'
import { appTest } from '../support/test.ts'
import { asForm, asQuery } from '../support/yourls.ts'

const test = appTest({ env: { YOURLS_API: 'off' } })

test('the YOURLS API returns 404 if it is disabled', async ({ owner, request }) => {
  const fields = { signature: owner.key, action: 'version' }
  const reply = await request(asQuery(fields))
  expect(reply.statusCode).toBe(404)
  expect(reply.headers['content-type']).toMatch(/^text\/html/)
  expect(reply.body).not.toContain(owner.key)
  expect((await request(asForm(fields))).statusCode).toBe(404)
})
