import { describe, expect } from 'vitest'
import { deleteOwnAccount, finishDeletions } from '../../src/account-deletion/account-deletion.ts'
import { getLink } from '../../src/links/link.service.ts'
import { emptyTrash } from '../../src/links/trash.service.ts'
import {
  addLinkToCampaign,
  listCampaignLinks,
  setCampaignWeights,
} from '../../src/resources/campaign-links.ts'
import { campaigns } from '../../src/resources/campaigns.ts'
import { addItemToChannel } from '../../src/resources/channel-items.ts'
import { channels } from '../../src/resources/channels.ts'
import { scopeOf } from '../../src/scope.ts'
import { formOf } from '../support/forms.ts'
import { idsOn, linkListTest } from '../support/link-list.ts'
import { readUndoId } from '../support/toasts.ts'

const test = linkListTest()

describe('a deleted link', () => {
  test('returns 404 immediately and is restored completely', async ({
    app,
    make,
    owner,
    person,
    request,
  }) => {
    const { services } = app
    const { id: accountId } = owner.account
    const link = await make.link(owner, { tags: ['Spring', 'Café'], password: 'x' })
    const campaign = await campaigns.create({ ...services, accountId }, { name: 'Sale' })
    await addLinkToCampaign({ ...services, accountId }, campaign.id, link.id)
    await setCampaignWeights({ ...services, accountId }, campaign.id, new Map([[link.id, 7]]))
    const channel = await channels.create({ ...services, accountId }, { name: 'Shelf' })
    await addItemToChannel({ ...services, accountId }, channel.id, { type: 'links', id: link.id })
    const created = await request({
      method: 'POST',
      url: '/api/qr/add',
      headers: owner.headers,
      payload: { type: 'link', data: link.shortUrl },
    })
    const codePath = new URL(created.json().link).pathname
    const linkBefore = await getLink(scopeOf(services, accountId), link.id)
    const listItems = async () => {
      const reply = await request({ url: `/api/channel/${channel.id}`, headers: owner.headers })
      return reply.json().data.items
    }
    const items = await listItems()

    await person.change('delete', [link.id], { sure: 'yes' })
    expect((await request({ url: `/${link.alias}` })).statusCode).toBe(404)
    expect((await request({ url: `/${link.alias}+` })).statusCode).toBe(404)
    expect((await request({ url: codePath })).statusCode).toBe(404)
    const missing = await request({ url: `/api/url/${link.id}`, headers: owner.headers })
    expect(missing.statusCode).toBe(404)
    expect(await listItems()).toEqual([])
    expect(idsOn(await person.open('/console/links'))).toEqual([])
    const trash = await person.open('/console/links/trash')
    expect(trash.body).toContain(`<bdi>brev.test/${link.alias}</bdi>`)
    expect(trash.body).toContain('30 days')

    const { csrf } = formOf(trash)
    const fields = { csrf, action: 'restore', id: String(link.id) }
    // The row has this form, too.
    expect(trash.body).toMatch(
      new RegExp(`name="action" value="restore"><input [^>]*name="id" value="${link.id}"><button`),
    )
    const reply = await person.send('/console/links/trash/change', fields)
    expect(reply.headers.location).toBe('/console/links?done=restored.1')
    expect(await getLink(scopeOf(services, accountId), link.id)).toEqual(linkBefore)
    expect((await request({ url: `/${link.alias}` })).statusCode).toBe(200)
    expect((await request({ url: codePath })).statusCode).toBe(200)
    expect(await listItems()).toEqual(items)
    const list = await request({ url: '/api/urls?order=click', headers: owner.headers })
    expect(list.json().data).toMatchObject({ result: 1, urls: [{ id: link.id }] })
    const inCampaign = await person.open(`/console/links?campaign=${campaign.id}`)
    expect(idsOn(inCampaign)).toEqual([link.id])
    const page = { limit: 1, offset: 0 }
    const listed = await listCampaignLinks(scopeOf(services, accountId), campaign.id, page)
    expect(listed.entries).toMatchObject([{ id: link.id, weight: 7 }])
    expect((await person.open('/console/links/trash')).body).toContain('The trash is empty')
  })

  test('is restored by Undo, only once', async ({ make, owner, person, request }) => {
    const links = [await make.link(owner), await make.link(owner)]
    const ids = links.map(({ id }) => id)
    const deleted = await person.change('delete', ids, { sure: 'yes' })
    const undo = readUndoId(deleted)
    const returnPath = '/console/links'
    expect(
      (await person.send('/console/links/undo', { id: undo, back: returnPath })).headers.location,
    ).toBe('/console/links?done=restored.2')
    expect((await request({ url: `/${links[0]?.alias}` })).statusCode).toBe(302)
    expect(
      (await person.send('/console/links/undo', { id: undo, back: returnPath })).statusCode,
    ).toBe(404)
  })

  test('reserves its alias for the same account', async ({ make, owner, person, request }) => {
    const alias = `kept-${owner.account.id}`
    const link = await make.link(owner, { alias })
    const deleted = await person.change('delete', [link.id], { sure: 'yes' })
    const add = (headers: object, payload: object) =>
      request({ method: 'POST', url: '/api/url/add', headers: headers as never, payload })
    const otherOwner = await make.owner()
    const newLink = { url: 'https://example.com/new', custom: alias }
    expect((await add(otherOwner.headers, newLink)).statusCode).toBe(409)
    expect((await add(owner.headers, newLink)).statusCode).toBe(200)
    const { location } = (await request({ url: `/${alias}` })).headers
    expect(location).toBe('https://example.com/new')
    await person.send('/console/links/undo', { id: readUndoId(deleted), back: '' })
    const { body } = await person.open('/console/links')
    expect(idsOn({ body })).toHaveLength(2)
    expect((await request({ url: `/${alias}` })).headers.location).toBe('https://example.com/new')
  })

  test('is deleted permanently after 30 days, or earlier by its owner', async ({
    app,
    make,
    owner,
    person,
    request,
  }) => {
    const links = [await make.link(owner), await make.link(owner), await make.link(owner)]
    const [expired, selected, remaining] = links.map(({ id }) => id)
    for (const { alias } of links) await request({ url: `/${alias}` })
    await app.importClicks()
    await person.change(
      'delete',
      links.map(({ id }) => id),
      { sure: 'yes' },
    )
    const { pool } = app.services.database
    await pool.query(
      `update deleted_links set deleted_at = now() - interval '30 days 1 minute' where link_id = $1`,
      [expired],
    )
    expect(await emptyTrash(app.services.db)).toBe(1)
    const { csrf } = formOf(await person.open('/console/links/trash'))
    const send = (fields: Record<string, string>) =>
      person.send('/console/links/trash/change', { csrf, action: 'forever', ...fields })
    const confirmation = await send({ id: String(selected) })
    expect(confirmation.body).toContain('Delete 1 link permanently?')
    const deletion = await send({ id: String(selected), sure: 'yes' })
    expect(deletion.headers.location).toBe('/console/links/trash?done=deleted.1')
    expect((await person.open('/console/links/trash?done=deleted.1')).body).toContain(
      '1 link deleted permanently.',
    )
    const readLinkIds = () =>
      pool.query<{ id: number }>('select id from links where account_id = $1', [owner.account.id])
    expect((await readLinkIds()).rows.map(({ id }) => Number(id))).toEqual([remaining])
    expect((await send({ all: 'yes' })).body).toContain('Delete 1 link permanently?')
    await send({ all: 'yes', sure: 'yes' })
    expect((await readLinkIds()).rows).toEqual([])
    // Their clicks are deleted, too, and the account's counts of links are zero.
    const { rows } = await pool.query(
      `select (select count(*) from click_totals where link_id = any ($1)) as totals,
        (select coalesce(sum(rows), 0) from row_counts where owner_id = $2
          and kind in ('links', 'deleted_links')) as counted`,
      [links.map(({ id }) => id), owner.account.id],
    )
    expect(rows).toEqual([{ totals: 0, counted: '0' }])
  })

  test('is deleted with its account', async ({ app, make }) => {
    const owner = await make.owner()
    const { id } = await make.link(owner)
    await app.request({ method: 'DELETE', url: `/api/url/${id}/delete`, headers: owner.headers })
    await deleteOwnAccount(scopeOf(app.services, owner.account.id))
    await finishDeletions(app.services.db, new AbortController().signal)
    const { rows } = await app.services.database.pool.query(
      `select (select count(*) from accounts where id = $1) as accounts,
        (select count(*) from links where account_id = $1) as links`,
      [owner.account.id],
    )
    expect(rows).toEqual([{ accounts: 0, links: 0 }])
  })

  test('of another account is not restored or deleted', async ({ app, make, person, request }) => {
    const otherOwner = await make.owner()
    const { id, alias } = await make.link(otherOwner)
    await request({ method: 'DELETE', url: `/api/url/${id}/delete`, headers: otherOwner.headers })
    for (const action of ['restore', 'forever']) {
      const { csrf } = formOf(await person.open('/console'))
      await person.send('/console/links/trash/change', {
        csrf,
        action,
        id: String(id),
        sure: 'yes',
      })
    }
    expect((await request({ url: `/${alias}` })).statusCode).toBe(404)
    const { rows } = await app.services.database.pool.query(
      'select link_id from deleted_links where link_id = $1',
      [id],
    )
    expect(rows).toHaveLength(1)
  })
})
