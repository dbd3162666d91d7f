import { describe, expect } from 'vitest'
import { mcpTest } from '../support/mcp.ts'
import { createKeyOfEachScope, createScopedKey } from '../support/scoped-keys.ts'

const READING = ['find_links', 'get_link', 'get_statistics', 'get_qr_code']
const CHANGING = ['update_link', 'disable_links', 'enable_links', 'tag_links', 'delete_links']
const UNDOING = ['list_changes', 'undo_change', 'undo_changes_since']
const TOOLS: Record<string, string[]> = {
  read: [...READING, 'list_campaigns'],
  create: ['create_links'],
  links: [...READING, 'list_campaigns', 'create_links', ...CHANGING, ...UNDOING],
  full: [...READING, 'list_campaigns', 'create_links', ...CHANGING, ...UNDOING, 'list_domains'],
}

const test = mcpTest()

test('a key sees only the tools of its scope, and cannot call others', async ({
  app,
  owner,
  agentOf,
  agent,
  make,
  stored,
}) => {
  const { id } = await make.link(owner)
  const before = await stored(id)
  const arguments_: Record<string, object> = {
    create_links: { links: [{ url: 'https://example.com/refused' }] },
    update_link: { id, title: 'Refused' },
    undo_change: { changeId: `${id}.0` },
    undo_changes_since: { since: '2000-01-01' },
    tag_links: { ids: [id], add: ['Refused'] },
    delete_links: { ids: [id] },
    disable_links: { ids: [id] },
    enable_links: { ids: [id] },
    get_link: { id },
    get_qr_code: { id },
  }
  const all = await agent.listNames()
  expect(all.toSorted()).toEqual(TOOLS.full?.toSorted())
  for (const key of await createKeyOfEachScope(app, owner)) {
    const limited = await agentOf(key)
    const names = await limited.listNames()
    expect(names.toSorted(), key.scope).toEqual(TOOLS[key.scope]?.toSorted())
    for (const name of all.filter((each) => !names.includes(each))) {
      const { isError, data, text } = await limited.call(name, arguments_[name])
      expect([isError, data.error.code], `${key.scope} ${name}`).toEqual([true, 'scope_too_narrow'])
      expect(text).toContain(`This API key's scope is ${key.scope}`)
      expect(text).toContain('Ask the owner')
    }
  }
  expect(await stored(id)).toEqual(before)
  const { rows } = await app.services.database.pool.query(
    `select from links where url = 'https://example.com/refused'`,
  )
  expect(rows).toEqual([])
})

describe('a key that is bound to a domain', () => {
  const boundTest = test.extend('bound', async ({ app, owner, make, agentOf }) => {
    const { id: domainId, host } = await make.domain(owner)
    const own = await make.link(owner, { domain: host, metaTitle: 'Own' })
    const other = await make.link(owner, { metaTitle: 'Other' })
    const bot = await agentOf(await createScopedKey(app, owner, 'full', host))
    return { bot, host, domainId, own, other }
  })

  boundTest('has no tools for the whole account', async ({ bound: { bot, host } }) => {
    expect((await bot.listNames()).toSorted()).toEqual(
      [...READING, 'create_links', ...CHANGING, ...UNDOING].toSorted(),
    )
    expect(bot.client.getInstructions()).toContain(host)
    for (const [name, input] of [
      ['list_domains', {}],
      ['list_campaigns', {}],
      ['get_statistics', {}],
      ['get_statistics', { campaignId: 1 }],
      ['find_links', { campaignId: 1 }],
    ] as const) {
      const { data } = await bot.call(name, input)
      expect(data.error.code, name).toBe('key_bound')
    }
  })

  boundTest('reaches only links there', async ({ bound, stored }) => {
    const { bot, own, other } = bound
    const before = await stored(other.id)
    const { data } = await bot.call('find_links')
    expect(data.links.map(({ id }) => id)).toEqual([own.id])
    for (const [name, input] of [
      ['get_link', { id: other.id }],
      ['get_link', { shortUrl: other.shortUrl }],
      ['get_link', { shortUrl: other.alias }],
      ['get_statistics', { linkId: other.id }],
      ['get_qr_code', { id: other.id }],
      ['update_link', { id: other.id, title: 'Taken' }],
      ['disable_links', { ids: [other.id] }],
      ['enable_links', { ids: [other.id] }],
      ['tag_links', { ids: [other.id], add: ['Taken'] }],
      ['delete_links', { ids: [other.id] }],
    ] as const) {
      const refused = await bot.call(name, input)
      expect([refused.isError, refused.data.error.code], name).toEqual([true, 'not_found'])
      expect(JSON.stringify(refused), name).not.toContain('Other')
    }
    const mixed = await bot.call('delete_links', { ids: [own.id, other.id] })
    expect(mixed.data).toMatchObject({ changed: [{ id: own.id }], notFound: 1 })
    expect(await stored(other.id)).toEqual(before)
  })

  boundTest('creates links there, and moves none away', async ({ bound, make, owner, stored }) => {
    const { bot, host, own } = bound
    const { host: elsewhere } = await make.domain(owner)
    const created = await bot.call('create_links', {
      links: [
        { url: 'https://example.com/1' },
        { url: 'https://example.com/2', domain: host },
        { url: 'https://example.com/3', domain: elsewhere },
      ],
    })
    expect(created.data.created).toBe(2)
    for (const { shortUrl } of created.data.links.slice(0, 2)) expect(shortUrl).toContain(host)
    expect(created.data.links[2]?.error).toContain('bound to')
    for (const domain of [elsewhere, null]) {
      const moved = await bot.call('update_link', { id: own.id, domain })
      expect(moved.data.error.code).toBe('key_bound')
    }
    expect((await bot.call('get_link', { id: own.id })).data.link.shortUrl).toBe(own.shortUrl)
    expect((await stored(own.id)).kind).toBe('link')
  })

  boundTest('undoes its changes', async ({ bound: { bot, own }, stored }) => {
    const before = await stored(own.id)
    await bot.call('update_link', { id: own.id, title: 'Changed' })
    await bot.call('delete_links', { ids: [own.id] })
    const { data } = await bot.call('undo_changes_since', { since: '2000-01-01' })
    expect([data.undone.length, data.failed]).toEqual([2, []])
    expect(await stored(own.id)).toEqual(before)
  })
})
