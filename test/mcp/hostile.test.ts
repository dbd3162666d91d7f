import { describe, expect } from 'vitest'
import { mcpTest, type Result } from '../support/mcp.ts'

const HUGE = 'x'.repeat(200_000)

const test = mcpTest()
  .extend('victim', { scope: 'file' }, async ({ make }) => {
    const owner = await make.owner()
    return { owner, link: await make.link(owner, { metaTitle: 'Secret', alias: 'victim' }) }
  })
  .extend('mine', ({ make, owner }) => make.link(owner))

function expectRefusal({ isError, text, data }: Result, code: string, context: string): void {
  expect([isError, data.error?.code], `${context}: ${text}`).toEqual([true, code])
  expect(text, context).not.toMatch(/\bat .*\(|node_modules|select |\.ts:/)
  expect(text.length, context).toBeLessThan(1000)
}

test('arguments of wrong types, unknown ones and too many are refused in words', async ({
  agent,
  mine,
  stored,
}) => {
  const before = await stored(mine.id)
  const calls: [string, unknown, RegExp][] = [
    ['create_links', {}, /^links is required/],
    ['create_links', { links: [] }, /^links must not have fewer than 1/],
    ['create_links', { links: Array(101).fill({ url: 'https://example.com' }) }, /more than 100/],
    ['create_links', { links: 'https://example.com' }, /^links must be an array/],
    ['create_links', { links: [{}] }, /^links\[0\]\.url is required/],
    ['create_links', { links: [{ url: 1 }] }, /^links\[0\]\.url must be a string/],
    ['create_links', { links: [{ url: 'https://a.b', longurl: 'x' }] }, /longurl is not known/],
    ['create_links', { links: [{ url: '' }] }, /^links\[0\]\.url/],
    ['create_links', { links: [{ url: 'https://a.b', title: 'a\0b' }] }, /title must be text/],
    ['update_link', { id: mine.id, password: 'x' }, /^password is not known/],
    ['update_link', { id: String(mine.id), title: 'x' }, /^id must be an integer/],
    ['update_link', { id: mine.id, constructor: 'x' }, /^constructor is not known/],
    ['update_link', { id: mine.id, url: null }, /^url/],
    [
      'update_link',
      { id: mine.id, rules: [{ when: { moon: 'full' }, to: 'https://a.b' }] },
      /rules/,
    ],
    ['delete_links', { ids: Array(101).fill(mine.id) }, /more than 100/],
    ['delete_links', { ids: [] }, /fewer than 1/],
    ['delete_links', { ids: [mine.id, 0] }, /^ids\[1\]/],
    ['delete_links', { ids: [mine.id, 1.5] }, /^ids\[1\] must be an integer/],
    ['tag_links', { ids: [mine.id] }, /^add must not be empty/],
    ['tag_links', { ids: [mine.id], add: [''] }, /^tags/],
    ['find_links', { status: 'gone' }, /^status must be/],
    ['find_links', { query: HUGE }, /^query must not have more than 500/],
    ['get_statistics', { from: 'yesterday' }, /^from must/],
    ['get_statistics', { timeZone: 'Moon/Base' }, /./],
    ['get_statistics', { country: 'DE' }, /^country must be an array/],
    ['get_statistics', { linkId: mine.id, interval: 'year' }, /^interval must be/],
    ['get_qr_code', { id: mine.id, size: 5000 }, /^size must be <= 1000/],
    ['undo_change', { changeId: 'x' }, /^changeId/],
    ['undo_change', { changeId: '1.0; drop table links' }, /^changeId/],
    ['undo_changes_since', { since: 'ever' }, /^since/],
  ]
  for (const [name, input, message] of calls) {
    const result = await agent.call(name, input as object)
    expectRefusal(result, 'invalid_input', `${name} ${JSON.stringify(input).slice(0, 80)}`)
    expect(result.text).toMatch(message)
  }
  expect(await stored(mine.id)).toEqual(before)
})

test('ids of other accounts are unknown, like ids that do not exist', async ({
  agent,
  victim,
  stored,
}) => {
  const before = await stored(victim.link.id)
  const { id: campaignId } = { id: 999_999 }
  for (const id of [victim.link.id, 999_999, 999_999_999_999_999]) {
    const calls: [string, object][] = [
      ['get_link', { id }],
      ['update_link', { id, title: 'Taken' }],
      ['disable_links', { ids: [id] }],
      ['enable_links', { ids: [id] }],
      ['tag_links', { ids: [id], add: ['Taken'] }],
      ['tag_links', { ids: [id], remove: ['Taken'] }],
      ['delete_links', { ids: [id] }],
      ['get_statistics', { linkId: id }],
      ['get_qr_code', { id }],
      ['undo_change', { changeId: `${id}.0` }],
    ]
    for (const [name, input] of calls) {
      expectRefusal(await agent.call(name, input), 'not_found', `${name} ${id}`)
    }
  }
  expectRefusal(await agent.call('get_statistics', { campaignId }), 'not_found', 'campaign')
  expectRefusal(await agent.call('get_link', { shortUrl: 'victim' }), 'not_found', 'alias')
  expect((await agent.call('find_links', { query: 'Secret' })).data.links).toEqual([])
  expect(await stored(victim.link.id)).toEqual(before)
})

describe('names of prototypes', () => {
  test.for(['__proto__', 'constructor', 'toString', '', 'find_links ', 'x'.repeat(1000)])(
    'the tool %.20s does not exist',
    async (name, { agent }) => {
      await expect(agent.call(name)).rejects.toThrow(/There is no tool/)
    },
  )

  test('are removed from arguments', async ({ app, owner, mine, stored }) => {
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"update_link",
      "arguments":{"id":${mine.id},"__proto__":{"title":"polluted"}}}}`
    const reply = await app.request({
      method: 'POST',
      url: '/mcp',
      headers: { ...owner.headers, 'content-type': 'application/json' },
      payload: call,
    })
    expect(reply.statusCode).toBe(200)
    expect(reply.json().result.content[0].text).toContain('Nothing changed')
    expect((await stored(mine.id)).title).toBeNull()
  })
})

test('links that the service rejects are named with the reason', async ({ agent }) => {
  const { data, isError, text } = await agent.call('create_links', {
    links: [
      { url: 'javascript:alert(1)' },
      { url: 'https://example.com', alias: 'api/x' },
      { url: 'https://example.com', alias: 'mcp' },
      { url: 'https://example.com', domain: 'not-mine.test' },
      { url: 'https://example.com', expiresAt: '2001-01-01' },
      { url: 'http://brev.test/loop' },
    ],
  })
  expect([isError, data.created]).toEqual([true, 0])
  expect(data.links.map(({ error }) => error?.split(' ')[0])).toEqual([
    'url',
    'alias',
    'alias',
    'domain',
    'expiresAt',
    'url',
  ])
  expect(text).toContain('Created 0 of 6 links.')
})
