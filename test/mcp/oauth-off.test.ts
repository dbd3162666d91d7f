import { expect } from 'vitest'
import { signedIn } from '../support/console.ts'
import { appTest } from '../support/test.ts'

/** The address of the service, http://brev.test, is neither https nor on this machine. */
const test = appTest()

test('without https, there is no OAuth, and keys still work', async ({ app, owner, request }) => {
  for (const url of [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/mcp',
    '/.well-known/oauth-authorization-server',
    '/oauth/authorize?client_id=x',
  ]) {
    expect((await request({ url })).statusCode, url).toBe(404)
  }
  const post = (headers: Record<string, string>) =>
    request({
      method: 'POST',
      url: '/mcp',
      headers: { ...headers, 'content-type': 'application/json' },
      payload: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
  const refused = await post({})
  expect([refused.statusCode, refused.headers['www-authenticate']]).toEqual([401, 'Bearer'])
  expect((await post(owner.headers)).statusCode).toBe(200)
  const person = await signedIn(app, owner)
  expect((await person.open('/console/settings')).body).not.toContain('Connected apps')
  expect((await person.open('/console/connect/x')).statusCode).toBe(404)
})
