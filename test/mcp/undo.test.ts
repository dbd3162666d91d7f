import { describe, expect } from 'vitest'
import { deleteLink, updateLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { type Agent, mcpTest } from '../support/mcp.ts'
import { createScopedKey } from '../support/scoped-keys.ts'

const LONG_AGO = '2000-01-01'
/** Every test has its own account, so that it has its own changes. */
const test = mcpTest()
  .extend('anna', ({ make }) => make.owner())
  .extend('bot', ({ anna, agentOf }) => agentOf(anna))

async function listChanges(bot: Agent) {
  return (await bot.call('list_changes')).data.changes
}

async function undoLatest(bot: Agent) {
  const [latest] = await listChanges(bot)
  return bot.call('undo_change', { changeId: latest?.changeId })
}

describe('one change is undone:', () => {
  test('a creation moves the link to the trash', async ({ bot, stored }) => {
    const { data } = await bot.call('create_links', { links: [{ url: 'https://example.com/x' }] })
    const id = data.links[0]?.id ?? 0
    expect(await listChanges(bot)).toMatchObject([{ changeId: `${id}.0`, isCreation: true }])
    const { text, isError } = await undoLatest(bot)
    expect([isError, text]).toEqual([false, expect.stringContaining('created')])
    expect((await stored(id)).kind).toBe('deleted')
    expect(await listChanges(bot)).toEqual([])
  })

  test('an update gives fields their former values, and only these', async ({
    bot,
    anna,
    make,
    stored,
    app,
  }) => {
    const { id } = await make.link(anna, {
      alias: 'undo-update',
      metaTitle: 'Before',
      expiresAt: '2099-01-01',
      tags: ['A', 'B'],
      rules: [{ when: { country: ['Germany'] }, to: 'https://example.com/de' }],
    })
    const before = await stored(id)
    await bot.call('update_link', {
      id,
      url: 'https://evil.example/',
      alias: 'undo-updated',
      title: null,
      expiresAt: null,
      maxClicks: 3,
      tags: ['C'],
      rules: [],
    })
    expect(await stored(id)).toMatchObject({ url: 'https://evil.example/', alias: 'undo-updated' })
    await updateLink(scopeOf(app.services, anna.account.id), id, {
      url: 'https://evil.example/',
      metaDescription: 'By Anna',
    })
    const { data } = await undoLatest(bot)
    expect(data.undone).toMatchObject({ link: { id } })
    expect(await stored(id)).toEqual(before)
    const { link } = (await bot.call('get_link', { id })).data
    expect(link).toMatchObject({
      description: 'By Anna',
      rules: [{ to: 'https://example.com/de' }],
    })
    expect(link).not.toHaveProperty('maxClicks')
  })

  test('disabling, enabling, tagging and untagging', async ({ bot, anna, make, stored }) => {
    const links = await Promise.all([make.link(anna, { tags: ['Old'] }), make.link(anna)])
    const ids = links.map(({ id }) => id)
    const before = await Promise.all(ids.map(stored))
    for (const [tool, input] of [
      ['disable_links', {}],
      ['tag_links', { add: ['New'] }],
      ['tag_links', { remove: ['Old'] }],
    ] as const) {
      await bot.call(tool, { ids, ...input })
      const changes = await listChanges(bot)
      expect(changes.length, tool).toBeGreaterThan(0)
      for (const { changeId } of changes) await bot.call('undo_change', { changeId })
      expect(await Promise.all(ids.map(stored)), tool).toEqual(before)
      expect(await listChanges(bot), tool).toEqual([])
    }
  })

  test('a deletion brings the link back with its alias and tags', async ({
    bot,
    anna,
    make,
    stored,
  }) => {
    const { id } = await make.link(anna, { alias: 'undo-delete', tags: ['Kept'] })
    const before = await stored(id)
    await bot.call('delete_links', { ids: [id] })
    const [change] = await listChanges(bot)
    expect(change?.changes).toEqual({ deleted: { before: false, after: true } })
    await undoLatest(bot)
    expect(await stored(id)).toEqual(before)
  })
})

describe('all changes since a time are undone,', () => {
  test('newest first, so that links are as before', async ({ bot, anna, make, stored }) => {
    const kept = await make.link(anna, { alias: 'undo-all', metaTitle: 'Kept' })
    const before = await stored(kept.id)
    const { data } = await bot.call('create_links', {
      links: [{ url: 'https://example.com/1' }, { url: 'https://example.com/2' }],
    })
    const created = data.links.map(({ id }) => id)
    await bot.call('update_link', { id: kept.id, title: 'First' })
    await bot.call('update_link', { id: kept.id, title: 'Second', alias: 'undo-all-2' })
    await bot.call('create_links', { links: [{ url: 'https://example.com/3', alias: 'undo-all' }] })
    await bot.call('disable_links', { ids: [kept.id, ...created] })
    await bot.call('delete_links', { ids: [kept.id] })
    const undone = await bot.call('undo_changes_since', { since: LONG_AGO })
    expect(undone.data).toMatchObject({ failed: [], hasMore: false })
    expect(undone.data.undone).toHaveLength(9)
    expect(await stored(kept.id)).toEqual(before)
    for (const id of created) expect((await stored(id)).kind).toBe('deleted')
    expect(await listChanges(bot)).toEqual([])
    const again = await bot.call('undo_changes_since', { since: LONG_AGO })
    expect([again.isError, again.data.undone]).toEqual([false, []])
  })

  test('but no older ones', async ({ bot, anna, make, app, stored }) => {
    const { id } = await make.link(anna)
    await bot.call('update_link', { id, title: 'Yesterday' })
    await app.services.database.pool.query(
      `update link_versions set changed_at = now() - interval '23 hours' where link_id = $1`,
      [id],
    )
    await bot.call('update_link', { id, description: 'Today' })
    const since = new Date(Date.now() - 3_600_000).toISOString()
    await bot.call('undo_changes_since', { since })
    expect((await stored(id)).title).toBe('Yesterday')
    expect((await bot.call('get_link', { id })).data.link).not.toHaveProperty('description')
    await app.services.database.pool.query(
      `update link_versions set changed_at = now() - interval '25 hours' where link_id = $1`,
      [id],
    )
    expect(await listChanges(bot)).toEqual([])
  })

  test('at most 100 a call', async ({ bot, anna, app }) => {
    const links = Array.from({ length: 100 }, (_, n) => ({ url: `https://example.com/${n}` }))
    await bot.call('create_links', { links })
    await bot.call('create_links', { links: links.slice(0, 1) })
    const first = await bot.call('undo_changes_since', { since: LONG_AGO })
    expect([first.data.undone.length, first.data.hasMore]).toEqual([100, true])
    const second = await bot.call('undo_changes_since', { since: LONG_AGO })
    expect([second.data.undone.length, second.data.hasMore]).toEqual([1, false])
    const { rows } = await app.services.database.pool.query(
      'select kind, count(*)::int as count from links where account_id = $1 group by kind',
      [anna.account.id],
    )
    expect(rows).toEqual([{ kind: 'deleted', count: 101 }])
  })

  test('except where a person has changed the field since', async ({
    bot,
    anna,
    make,
    app,
    stored,
  }) => {
    const { id, url } = await make.link(anna)
    const other = await make.link(anna)
    await bot.call('update_link', { id, title: 'Agent' })
    await bot.call('update_link', { id: other.id, title: 'Agent' })
    await updateLink(scopeOf(app.services, anna.account.id), id, { url, metaTitle: 'Anna' })
    const { data, isError } = await bot.call('undo_changes_since', { since: LONG_AGO })
    expect(isError).toBe(false)
    expect(data.undone).toHaveLength(1)
    expect(data.failed).toMatchObject([
      { link: { id }, error: expect.stringContaining('has changed in the meantime') },
    ])
    expect((await stored(id)).title).toBe('Anna')
    expect((await stored(other.id)).title).toBeNull()
  })
})

describe('no agent can', () => {
  test('undo changes of people, of other keys or of other accounts', async ({
    bot,
    anna,
    make,
    app,
    agentOf,
    stored,
  }) => {
    const link = await make.link(anna)
    await updateLink(scopeOf(app.services, anna.account.id), link.id, {
      url: 'https://anna.example/',
    })
    const other = await agentOf(await createScopedKey(app, anna, 'links'))
    const rival = await agentOf(await make.owner())
    await other.call('update_link', { id: link.id, title: 'Other' })
    const [change] = await listChanges(other)
    for (const agent of [bot, rival]) {
      expect(await listChanges(agent)).toEqual([])
      const { rows } = await app.services.database.pool.query<{ id: number }>(
        'select id from link_versions where link_id = $1',
        [link.id],
      )
      for (const changeId of [change?.changeId, ...rows.map(({ id }) => `${link.id}.${id}`)]) {
        const refused = await agent.call('undo_change', { changeId })
        expect([refused.isError, refused.data.error.code]).toEqual([true, 'not_found'])
      }
    }
    expect(await stored(link.id)).toMatchObject({ url: 'https://anna.example/', title: 'Other' })
  })

  test('undo a change twice', async ({ bot, anna, make }) => {
    const { id } = await make.link(anna)
    await bot.call('disable_links', { ids: [id] })
    const [change] = await listChanges(bot)
    const input = { changeId: change?.changeId }
    expect((await bot.call('undo_change', input)).isError).toBe(false)
    expect((await bot.call('undo_change', input)).data.error.code).toBe('not_found')
  })

  test('take the alias of a link in the trash, which would lose it', async ({
    bot,
    anna,
    make,
    app,
    stored,
  }) => {
    const { id } = await make.link(anna, { alias: 'undo-alias' })
    const other = await make.link(anna)
    await bot.call('delete_links', { ids: [id] })
    const created = await bot.call('create_links', {
      links: [{ url: 'https://evil.example/', alias: 'undo-alias' }],
    })
    expect([created.isError, created.data.links[0]?.error]).toEqual([
      true,
      expect.stringContaining('alias is taken'),
    ])
    const renamed = await bot.call('update_link', { id: other.id, alias: 'undo-alias' })
    expect(renamed.data.error.code).toBe('alias_taken')
    await undoLatest(bot)
    expect(await stored(id)).toMatchObject({ alias: 'undo-alias', kind: 'link' })
    await deleteLink(scopeOf(app.services, anna.account.id), id)
    await make.link(anna, { alias: 'undo-alias' })
    expect((await stored(id)).alias).not.toBe('undo-alias')
  })

  test('push the original values out of the history', async ({ bot, anna, make, stored }) => {
    const { id, url } = await make.link(anna)
    const change = (count: number) =>
      bot.call('update_link', { id, url: `https://evil.example/${'x'.repeat(8000)}${count}` })
    const results = []
    do results.push(await change(results.length))
    while (!results.at(-1)?.isError && results.length < 100)
    expect(results.at(-1)?.data.error.code).toBe('changed_too_often')
    expect(results.length).toBeGreaterThan(20)
    const { data } = await bot.call('undo_changes_since', { since: LONG_AGO })
    expect([data.undone.length, data.failed]).toEqual([results.length - 1, []])
    expect((await stored(id)).url).toBe(url)
  })
})
