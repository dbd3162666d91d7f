import { describe, expect } from 'vitest'
import { mcpTest } from '../support/mcp.ts'
import { readCode } from '../support/read-code.ts'
import { FIREFOX, IPHONE } from '../support/stats-test.ts'

const test = mcpTest()

test('tools are described, with hints and limits, in less than 14 KB', async ({ agent }) => {
  const { tools } = await agent.client.listTools()
  const hints = tools.map(({ name, annotations = {} }) => {
    const { readOnlyHint, destructiveHint = false, idempotentHint } = annotations
    return [name, readOnlyHint ? 'reads' : destructiveHint ? 'deletes' : 'changes', idempotentHint]
  })
  expect(hints).toEqual([
    ['find_links', 'reads', true],
    ['get_link', 'reads', true],
    ['create_links', 'changes', false],
    ['update_link', 'changes', true],
    ['disable_links', 'changes', true],
    ['enable_links', 'changes', true],
    ['tag_links', 'changes', true],
    ['delete_links', 'deletes', true],
    ['get_statistics', 'reads', true],
    ['get_qr_code', 'reads', true],
    ['list_domains', 'reads', true],
    ['list_campaigns', 'reads', true],
    ['list_changes', 'reads', true],
    ['undo_change', 'changes', true],
    ['undo_changes_since', 'changes', true],
  ])
  for (const { name, description = '', inputSchema } of tools) {
    expect(description.length, name).toBeGreaterThan(20)
    expect(description.length, name).toBeLessThan(350)
    expect(inputSchema, name).toMatchObject({ type: 'object', additionalProperties: false })
  }
  const text = JSON.stringify(tools)
  expect(text).not.toContain('"format"')
  expect(text.length).toBeLessThan(14_000)
})

describe('links', () => {
  test('are created, each by itself, as changes by the key', async ({
    agent,
    owner,
    stored,
    app,
  }) => {
    const { data, text, isError } = await agent.call('create_links', {
      links: [
        {
          url: 'https://example.com/a',
          alias: 'agent-a',
          title: 'A',
          tags: ['Mail'],
          expiresAt: '2099-01-01',
          password: 'secret',
          rules: [{ when: { country: ['DE'] }, to: 'https://example.com/de' }],
        },
        { url: 'https://example.com/b', alias: 'agent-a' },
        { url: 'nonsense' },
      ],
    })
    expect(isError).toBe(false)
    const [first, second, third] = data.links
    expect(data.created).toBe(1)
    expect(first).toMatchObject({ shortUrl: 'http://brev.test/agent-a', title: 'A' })
    expect(second?.error).toMatch(/^That alias is taken/)
    expect(third?.error).toMatch(/^url /)
    expect(text).toContain('Created 1 of 3 links.')
    expect(text).not.toContain('secret')
    const { rows } = await app.services.database.pool.query<{ id: number }>(
      'select id from api_keys where account_id = $1',
      [owner.account.id],
    )
    expect(await stored(first?.id ?? 0)).toMatchObject({
      alias: 'agent-a',
      title: 'A',
      tags: ['Mail'],
      created_by: `mcp:${rows[0]?.id}`,
    })
    const { link } = (await agent.call('get_link', { id: first?.id })).data
    expect(link).toMatchObject({
      passwordProtected: true,
      expiresAt: '2099-01-01 23:59:59',
      rules: [{ when: { country: 'DE' }, to: 'https://example.com/de' }],
    })
  })

  test('100 links are created in one call', async ({ agent, app, owner }) => {
    const links = Array.from({ length: 100 }, (_, n) => ({ url: `https://example.com/n/${n}` }))
    const { data } = await agent.call('create_links', { links })
    expect(data.created).toBe(100)
    const { rows } = await app.services.database.pool.query<{ count: number }>(
      `select count(*)::int as count from links where account_id = $1 and url like 'https://example.com/n/%'`,
      [owner.account.id],
    )
    expect(rows).toEqual([{ count: 100 }])
  })

  test('are found by words, tag, status and campaign, and by short URL', async ({
    agentOf,
    make,
    app,
  }) => {
    const owner = await make.owner()
    const agent = await agentOf(owner)
    const first = await make.link(owner, { url: 'https://example.com/spring', tags: ['Sale'] })
    const second = await make.link(owner, { metaTitle: 'Autumn' })
    const { id: campaignId } = await make.campaign(owner, { name: 'Spring' })
    await agent.call('disable_links', { ids: [second.id] })
    await app.request({
      method: 'POST',
      url: `/api/campaign/${campaignId}/assign/${first.id}`,
      headers: owner.headers,
    })
    const find = async (input: object) =>
      (await agent.call('find_links', input)).data.links.map(({ id }) => id)
    expect(await find({})).toEqual([second.id, first.id])
    expect(await find({ query: 'spring' })).toEqual([first.id])
    expect(await find({ tag: 'sale' })).toEqual([first.id])
    expect(await find({ status: 'disabled' })).toEqual([second.id])
    expect(await find({ campaignId })).toEqual([first.id])
    expect(await find({ page: 2 })).toEqual([])
    const { data } = await agent.call('get_link', { shortUrl: second.shortUrl })
    expect(data.link).toMatchObject({ id: second.id, title: 'Autumn', status: 'disabled' })
    expect((await agent.call('get_link', { shortUrl: first.alias })).data.link.id).toBe(first.id)
    const campaigns = await agent.call('list_campaigns')
    expect(campaigns.data).toEqual({ total: 1, campaigns: [{ id: campaignId, name: 'Spring' }] })
  })

  test('are updated, and the result says what changed', async ({ agent, make, owner, stored }) => {
    const { id, shortUrl } = await make.link(owner, { metaTitle: 'Old', maxClicks: 5 })
    const input = { id, title: 'New', maxClicks: null, url: 'https://example.com/new' }
    const { data, text } = await agent.call('update_link', input)
    expect(data).toEqual({
      link: { id, shortUrl, title: 'New' },
      changes: {
        title: { before: 'Old', after: 'New' },
        url: { before: 'https://example.com/target', after: 'https://example.com/new' },
        maxClicks: { before: 5, after: null },
      },
    })
    expect(text).toBe(`${id} ${shortUrl} “New”: Changed title, url, maxClicks.`)
    expect(await stored(id)).toMatchObject({
      url: 'https://example.com/new',
      title: 'New',
      max_clicks: null,
    })
    const again = await agent.call('update_link', input)
    expect([again.data.changes, again.isError]).toEqual([{}, false])
  })

  test('are disabled, enabled, tagged and deleted, and versions name the key', async ({
    agent,
    make,
    owner,
    stored,
    app,
  }) => {
    const { id, shortUrl } = await make.link(owner)
    const disabled = await agent.call('disable_links', { ids: [id, 999_999_999] })
    expect(disabled.data).toMatchObject({ unchanged: 0, blocked: 0, notFound: 1 })
    expect(disabled.data.changed).toMatchObject([{ id, shortUrl, status: 'disabled' }])
    expect((await stored(id)).status).toBe('disabled')
    expect((await agent.call('disable_links', { ids: [id] })).data.unchanged).toBe(1)
    await agent.call('enable_links', { ids: [id] })
    expect((await stored(id)).status).toBe('active')
    await agent.call('tag_links', { ids: [id], add: ['One', 'Two'] })
    await agent.call('tag_links', { ids: [id], add: ['Three'], remove: ['one'] })
    expect((await stored(id)).tags).toEqual(['Two', 'Three'])
    const deleted = await agent.call('delete_links', { ids: [id] })
    expect(deleted.data.changed).toMatchObject([{ id, shortUrl }])
    expect((await stored(id)).kind).toBe('deleted')
    const gone = await agent.call('get_link', { id })
    expect([gone.isError, gone.data.error.code]).toEqual([true, 'not_found'])
    const { rows } = await app.services.database.pool.query(
      'select distinct changed_by, account_id from link_versions where link_id = $1',
      [id],
    )
    expect(rows).toEqual([
      { changed_by: expect.stringMatching(/^mcp:\d+$/), account_id: owner.account.id },
    ])
  })

  test('have a history that names the agent’s key', async ({ agent, make, owner, app }) => {
    const { id } = await make.link(owner)
    await agent.call('disable_links', { ids: [id] })
    const reply = await app.request({ url: `/api/url/${id}/versions`, headers: owner.headers })
    expect(reply.json().data.versions[0]).toMatchObject({
      surface: 'mcp',
      by: { type: 'key', name: 'First key' },
      changes: { status: { before: 'active', after: 'disabled' } },
    })
  })

  test('under review are not deleted, because they could not come back', async ({
    agent,
    make,
    owner,
    app,
    stored,
  }) => {
    const { id } = await make.link(owner)
    await app.services.database.pool.query(
      `update links set blocked_at = now(), status = 'disabled' where id = $1`,
      [id],
    )
    const deleted = await agent.call('delete_links', { ids: [id] })
    expect([deleted.isError, deleted.data.error.code]).toEqual([true, 'not_found'])
    const enabled = await agent.call('enable_links', { ids: [id] })
    expect(enabled.data).toMatchObject({ changed: [], blocked: 1 })
    expect(await stored(id)).toMatchObject({ kind: 'link', status: 'disabled' })
  })
})

describe('the rest', () => {
  test('a QR code is an image of the short URL', async ({ agent, make, owner }) => {
    const { id, shortUrl } = await make.link(owner)
    const { content, data } = await agent.call('get_qr_code', { id, size: 200 })
    expect(data.link).toMatchObject({ id, shortUrl })
    expect(content[1]).toMatchObject({ type: 'image', mimeType: 'image/png' })
    const picture = Buffer.from(content[1]?.data ?? '', 'base64')
    expect(await readCode(picture)).toBe(`${shortUrl}?qr`)
  })

  test('domains are listed', async ({ agentOf, make }) => {
    const owner = await make.owner()
    const { id } = await make.domain(owner, { domain: 'https://listed.test' })
    const { data } = await (await agentOf(owner)).call('list_domains')
    expect(data).toEqual({
      total: 1,
      domains: [{ id, domain: 'listed.test', url: 'https://listed.test' }],
    })
  })

  test('statistics have a period, a zone, filters and a comparison', async ({
    agentOf,
    make,
    app,
  }) => {
    const owner = await make.owner()
    const agent = await agentOf(owner)
    const link = await make.link(owner, { metaTitle: 'Counted' })
    for (const [at, agentName] of [
      ['2026-10-31T12:00:00Z', FIREFOX],
      ['2026-11-01T23:30:00Z', FIREFOX],
      ['2026-11-02T08:00:00Z', IPHONE],
    ] as const) {
      app.clock.set(at)
      await app.request({ url: `/${link.alias}`, headers: { 'user-agent': agentName } })
    }
    await app.importClicks()
    const period = { from: '2026-11-01', to: '2026-11-02' }
    const whole = await agent.call('get_statistics', {
      linkId: link.id,
      ...period,
      compare: 'previous',
    })
    expect(whole.data).toMatchObject({
      of: `${link.shortUrl} “Counted”`,
      clicks: 2,
      interval: 'day',
      comparison: { clicks: 1 },
      timeline: [
        ['2026-11-01', 1, 0, 0],
        ['2026-11-02', 1, 1, 1],
      ],
    })
    expect(whole.text).toContain('2026-11-01 to 2026-11-02: 2 clicks')
    const zoned = await agent.call('get_statistics', {
      linkId: link.id,
      ...period,
      timeZone: 'Europe/Berlin',
    })
    expect(zoned.data).toMatchObject({
      timeline: [
        ['2026-11-01', 0, 0],
        ['2026-11-02', 2, 1],
      ],
    })
    const filtered = await agent.call('get_statistics', { ...period, browser: ['Firefox'] })
    expect(filtered.data).toMatchObject({
      of: 'the whole account',
      clicks: 1,
      links: [{ id: link.id, title: 'Counted', clicks: 1 }],
    })
    const { id: campaignId } = await make.campaign(owner, { name: 'Empty' })
    const campaign = await agent.call('get_statistics', { campaignId, ...period })
    expect(campaign.data).toMatchObject({ of: 'campaign “Empty”', clicks: 0 })
    const both = await agent.call('get_statistics', { campaignId, linkId: link.id })
    expect([both.isError, both.text]).toEqual([true, 'Give linkId or campaignId, not both.'])
    const wrong = await agent.call('get_statistics', { from: '2026-02-31' })
    expect([wrong.isError, wrong.text]).toEqual([true, expect.stringMatching(/^from must /)])
  })
})
