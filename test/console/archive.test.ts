import { describe, expect } from 'vitest'
import { getLink } from '../../src/links/link.service.ts'
import { campaigns } from '../../src/resources/campaigns.ts'
import { scopeOf } from '../../src/scope.ts'
import { idsOn, linkListTest } from '../support/link-list.ts'
import { readUndoId } from '../support/toasts.ts'

const test = linkListTest()

describe('an archived link', () => {
  test('still redirects and is listed only with the archive filter', async ({
    make,
    owner,
    person,
    request,
  }) => {
    const links = [
      await make.link(owner, { tags: ['a'] }),
      await make.link(owner),
      await make.link(owner),
    ]
    const [first, second, third] = links.map(({ id }) => id)
    const archived = await person.change('archive', [first ?? 0, third ?? 0])
    expect(archived.headers.location).toBe('/console/links?done=archived.2')
    const listIds = async (query = '') => idsOn(await person.open(`/console/links${query}`))
    for (const sort of ['', '?sort=clicks', '?sort=alias', '?sort=oldest', '?q=brev.test']) {
      expect([sort, await listIds(sort)]).toEqual([sort, sort.includes('q=') ? [] : [second]])
    }
    expect(await listIds('?tag=a')).toEqual([])
    expect(await listIds('?tag=a&status=archived')).toEqual([first])
    expect(await listIds('?status=archived')).toEqual([third, first])
    expect(await listIds('?status=archived&sort=oldest')).toEqual([first, third])
    expect(await listIds('?status=archived&sort=clicks')).toEqual([third, first])
    expect((await person.open('/console/links')).body).toContain('1 link')
    expect((await request({ url: `/${links[0]?.alias}` })).statusCode).toBe(302)
    const all = await request({ url: '/api/urls', headers: owner.headers })
    expect(all.json().data.result).toBe(3)

    await person.send('/console/links/undo', { id: readUndoId(archived), back: '' })
    expect(await listIds()).toEqual([third, second, first])
    await person.send(`/console/links/${first}/archive`)
    expect((await person.open(`/console/links/${first}`)).body).toContain('Archived')
    await person.send(`/console/links/${first}/unarchive`)
    expect(await listIds()).toEqual([third, second, first])
  })

  test('is exported as archived', async ({ app, make, owner, person }) => {
    const { id } = await make.link(owner, { alias: `moved-${owner.account.id}` })
    await person.change('archive', [id])
    const file = await person.open('/console/export?format=jsonl')
    expect(JSON.parse(file.body)).toMatchObject({ archived: true })
    const link = await getLink(scopeOf(app.services, owner.account.id), id)
    expect(link.archivedAt).toBeInstanceOf(Date)
  })
})

describe('the list', () => {
  test('sorts by alias, clicks and creation in both directions', async ({
    app,
    make,
    owner,
    person,
    request,
  }) => {
    const accountId = owner.account.id
    const ids = new Map<string, number>()
    for (const name of ['b', 'c', 'A']) {
      ids.set(name, (await make.link(owner, { alias: `${name}-${accountId}` })).id)
    }
    const visits = ['b', 'b', 'c']
    for (const name of visits) await request({ url: `/${name}-${accountId}` })
    await app.importClicks()
    for (const [sort, order] of [
      ['newest', ['A', 'c', 'b']],
      ['oldest', ['b', 'c', 'A']],
      ['clicks', ['b', 'c', 'A']],
      ['least-clicked', ['A', 'c', 'b']],
      ['alias', ['A', 'b', 'c']],
      ['alias-descending', ['c', 'b', 'A']],
    ] as const) {
      const listedIds = idsOn(await person.open(`/console/links?sort=${sort}`))
      expect([sort, listedIds]).toEqual([sort, order.map((name) => ids.get(name))])
      const foundIds = idsOn(await person.open(`/console/links?sort=${sort}&q=-${accountId}`))
      expect([sort, foundIds]).toEqual([sort, listedIds])
    }
    const { body } = await person.open('/console/links?sort=alias')
    expect(body).toContain('aria-sort="ascending"')
    expect(body).toContain('href="/console/links?sort=alias-descending"')
  })

  test('adds links to a campaign and sets their expiration', async ({
    app,
    make,
    owner,
    person,
  }) => {
    const { services } = app
    const links = [await make.link(owner), await make.link(owner)]
    const ids = links.map(({ id }) => id)
    const campaign = await campaigns.create(
      { ...services, accountId: owner.account.id },
      { name: 'Sale' },
    )
    const fields = { campaign: String(campaign.id) }
    const added = await person.change('campaign', ids, fields)
    expect(added.headers.location).toBe('/console/links?done=campaigned.2')
    const listCampaignIds = async () =>
      idsOn(await person.open(`/console/links?campaign=${campaign.id}`))
    expect(await listCampaignIds()).toEqual(ids.toReversed())
    await person.send('/console/links/undo', { id: readUndoId(added), back: '' })
    expect(await listCampaignIds()).toEqual([])
    expect((await person.change('campaign', ids)).statusCode).toBe(422)
    const { id: otherAccountId } = (await make.owner()).account
    const foreign = await campaigns.create(
      { ...services, accountId: otherAccountId },
      { name: 'Other' },
    )
    const foreignFields = { campaign: String(foreign.id) }
    expect((await person.change('campaign', ids, foreignFields)).statusCode).toBe(404)

    const readExpiration = async () =>
      (await getLink(scopeOf(services, owner.account.id), ids[0] ?? 0)).expiresAt
    await person.change('expire', ids, { expires: '2099-02-03' })
    expect(await readExpiration()).toEqual(new Date('2099-02-03T23:59:59.999Z'))
    const rejected = await person.change('expire', ids, { expires: '2001-02-03' })
    expect([rejected.statusCode, rejected.body.includes('Must be in the future.')]).toEqual([
      422,
      true,
    ])
    await person.change('expire', ids, { expires: '' })
    expect(await readExpiration()).toBe(null)
  })

  test('exports the selected links', async ({ make, owner, person }) => {
    const links = [await make.link(owner), await make.link(owner), await make.link(owner)]
    const [first, , third] = links
    const csv = await person.change('csv', [first?.id ?? 0, third?.id ?? 0])
    expect(csv.headers['content-disposition']).toContain('.csv"')
    const rows = csv.body.trim().split('\r\n')
    expect(rows.map((row) => row.split(',')[1])).toEqual(['Alias', first?.alias, third?.alias])
    const jsonl = await person.change('jsonl', [], { all: 'yes', back: '/console/links' })
    expect(jsonl.body.trim().split('\n')).toHaveLength(3)
    const foreign = await make.link(await make.owner())
    expect((await person.change('jsonl', [foreign.id])).body).toBe('')
  })

  test('changes more results than one transaction does, and undoes the change', async ({
    app,
    owner,
    person,
  }) => {
    await app.services.database.pool.query(
      `insert into links (account_id, alias, url)
       select $1::bigint, 'bulk-' || $1::bigint || '-' || n, 'https://example.com/' from generate_series(1, 1203) n`,
      [owner.account.id],
    )
    const returnPath = '/console/links'
    const tagging = await person.change('tag', [], { tag: 'all', all: 'yes', back: returnPath })
    expect(tagging.headers.location).toBe('/console/links?done=tagged.1203')
    const countTagged = () =>
      app.services.database.pool.query(
        'select count(*)::int as count from link_tags join links on links.id = link_id where account_id = $1',
        [owner.account.id],
      )
    expect((await countTagged()).rows).toEqual([{ count: 1203 }])
    await person.send('/console/links/undo', { id: readUndoId(tagging), back: returnPath })
    expect((await countTagged()).rows).toEqual([{ count: 0 }])
    const confirmation = await person.change('delete', [], { all: 'yes', back: returnPath })
    expect(confirmation.body).toContain('Delete 1,203 links?')
    const confirmed = { all: 'yes', back: returnPath, sure: 'yes', count: '1203' }
    const deleted = await person.change('delete', [], confirmed)
    expect(deleted.headers.location).toBe('/console/links?done=deleted.1203')
    await person.send('/console/links/undo', { id: readUndoId(deleted), back: returnPath })
    expect((await person.open(returnPath)).body).toContain('1,203 links')
  })
})
