import { expect } from 'vitest'
import { addLinkToCampaign, getCampaignLinkIds } from '../../src/resources/campaign-links.ts'
import { expectPrivate, groupTest as test, visitEach } from '../support/group-page.ts'
import { readFigures, readList } from '../support/link-page.ts'
import { signInMember } from '../support/members.ts'

/** Returns the ids of the links to select from, each with its state. */
const readChoices = (body: string) =>
  [...body.matchAll(/form="filters" name="id" value="(\d+)"([^>]*)>/g)].map(([, id, state]) => [
    id,
    state,
  ])

test('shows the public URLs of a campaign', async ({ app, make, owner, person }) => {
  const publicCampaign = await make.campaign(owner, {
    name: '<b>Spring</b>',
    slug: 'spring',
    public: true,
  })
  const { statusCode, body } = await person.open(`/console/campaigns/${publicCampaign.id}`)
  expect(statusCode).toBe(200)
  expect(body).toContain('href="http://brev.test/r/spring"')
  expect(body).toContain(`href="http://brev.test/u/${owner.account.username}/${publicCampaign.id}"`)
  expect(body).toContain('data-copy="rotator"')
  expect(body).not.toContain('<b>Spring')
  expect(body).toContain('No links yet.')
  expect(body).toContain('No clicks yet.')

  const list = await person.open('/console/campaigns')
  expect(list.body).toContain('href="http://brev.test/r/spring"')

  const privateCampaign = await make.campaign(owner)
  const privatePage = await person.open(`/console/campaigns/${privateCampaign.id}`)
  expect(privatePage.body).toContain('<dt>Public list</dt><dd>Off</dd>')
  expect(privatePage.body).not.toContain('data-copy="rotator"')
  expect(privatePage.body).toContain(`href="/console/campaigns/${privateCampaign.id}/edit#slug"`)
  const viewer = await signInMember(app, owner, 'viewer')
  const read = await viewer.open(`/console/campaigns/${privateCampaign.id}`)
  expect(read.body).toContain('<dt>Rotator</dt><dd>Off</dd>')
})

test('finds links by short URL or alias, adds several at once and removes them', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.campaign(owner)
  const path = `/console/campaigns/${id}`
  const getLinkIds = () => getCampaignLinkIds({ ...app.services, accountId: owner.account.id }, id)
  const first = await make.link(owner, { alias: 'first-one' })
  const second = await make.link(owner, { alias: 'zweite-ä' })
  await make.domain(owner, { domain: 'https://campaign.example' })
  const third = await make.link(owner, { alias: 'branded', domain: 'campaign.example' })
  const inputs = [
    ['first-one', first.id],
    ['/first-one', first.id],
    ['branded', third.id],
    ['https://CAMPAIGN.example/branded/', third.id],
    [` ${second.shortUrl} `, second.id],
    ['zweite-ä', second.id],
    ['zweite-%C3%A4', second.id],
    ['brev.test/zweite-a\u0308', second.id],
    ['http://brev.test/zweite-%c3%a4', second.id],
    ['campaign.example/branded', third.id],
    ['', second.id],
  ] as const
  for (const [search, found] of inputs) {
    const picker = await person.open(`${path}/add?${new URLSearchParams({ q: search })}`)
    expect([search, picker.statusCode, readChoices(picker.body)]).toEqual([
      search,
      200,
      expect.arrayContaining([[String(found), '']]),
    ])
  }
  // Selected links stay selected, whatever is searched for next.
  const next = await person.open(`${path}/add?q=first&id=${second.id}&id=999999&id=x`)
  expect(readChoices(next.body)).toEqual([
    [String(second.id), ' checked'],
    [String(first.id), ''],
  ])
  // Adding links again changes nothing.
  for (const ids of [[first.id, second.id], [third.id], [third.id, first.id]]) {
    const reply = await person.send(`${path}/links`, { id: ids.map(String) })
    expect([reply.statusCode, reply.headers.location]).toEqual([303, `${path}#items`])
  }
  const again = await person.open(`${path}/add?q=first`)
  expect(readChoices(again.body)).toEqual([[String(first.id), ' checked disabled']])
  expect((await person.open(path)).body).toContain('<bdi>brev.test/zweite-ä</bdi>')
  expect(new Set(await getLinkIds())).toEqual(new Set([first.id, second.id, third.id]))

  // Removing a link again succeeds, too.
  for (const attempt of [1, 2]) {
    const removal = await person.send(`${path}/links/${second.id}/remove`)
    expect([attempt, removal.statusCode, removal.headers.location]).toEqual([
      attempt,
      303,
      `${path}#items`,
    ])
  }
  expect(new Set(await getLinkIds())).toEqual(new Set([first.id, third.id]))
  expect((await person.open(`/console/links/${second.id}`)).statusCode).toBe(200)
})

test('rejects links of other accounts, unknown ones and none', async ({
  app,
  make,
  otherOwner,
  owner,
  person,
}) => {
  const { id } = await make.campaign(owner)
  const path = `/console/campaigns/${id}`
  const foreign = await make.link(otherOwner, { alias: 'not-yours' })
  const hostile = '"><script>alert(1)</script>'
  for (const search of ['not-yours', foreign.shortUrl, '%ED%A0%80', 'nowhere', '\0', hostile]) {
    const { statusCode, body } = await person.open(
      `${path}/add?${new URLSearchParams({ q: search, id: String(foreign.id) })}`,
    )
    expect([search, statusCode, readChoices(body)]).toEqual([search, 200, []])
    expect(body).toContain('No results')
    expect(body).not.toContain('<script>alert')
  }
  for (const [link, status] of [
    [String(foreign.id), 404],
    ['999999', 404],
    ['x', 400],
  ] as const)
    expect((await person.send(`${path}/links`, { id: link })).statusCode).toBe(status)
  const none = await person.send(`${path}/links`)
  expect([none.statusCode, none.body]).toEqual([422, expect.stringContaining('role="alert"')])
  expect(await getCampaignLinkIds({ ...app.services, accountId: owner.account.id }, id)).toEqual([])
})

test('shows the total clicks of all links, and links to their pages', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.campaign(owner)
  const path = `/console/campaigns/${id}`
  const quiet = await make.link(owner)
  const busiest = await make.link(owner)
  for (const link of [quiet, busiest]) {
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link.id)
  }
  await visitEach(
    app,
    [quiet, busiest, busiest].map(({ alias }) => `/${alias}`),
  )
  const { body } = await person.open(path)
  expect(readFigures(body)).toEqual(['3', '3', '0', '100%'])
  expect(body).toContain('All time: 3 clicks · Last click: ')
  const ranked = readList(body, 'links-links')
  expect(ranked.indexOf(`brev.test/${busiest.alias}`)).toBeGreaterThan(-1)
  expect(ranked.indexOf(`brev.test/${busiest.alias}`)).toBeLessThan(
    ranked.indexOf(`brev.test/${quiet.alias}`),
  )
  expect(ranked).toContain(`href="/console/links/${busiest.id}"`)

  const browsers = await person.open(`${path}/browsers`)
  expect([browsers.statusCode, browsers.body]).toEqual([200, expect.stringContaining('Firefox')])
  expect(browsers.body).toMatch(new RegExp(`href="${path}">← <bdi>Campaign ${id}<`))
  const csv = await person.open(`${path}/browsers.csv?period=7d`)
  expect(csv.body).toBe('\ufefflabel,clicks\nFirefox,3\n')
  expect(csv.headers['content-disposition']).toContain(`campaign-${id}-browsers.csv`)
  const timeline = await person.open(`${path}/timeline.csv?period=all`)
  expect(timeline.body).toContain(',3,3')
  const rejected = await person.open(`${path}?from=tomorrow`)
  expect([rejected.statusCode, rejected.body]).toEqual([
    422,
    expect.stringContaining('Start: Must be'),
  ])
})

test('lists links on pages and stays on the same page after a removal', async ({
  app,
  make,
  owner,
  person,
}) => {
  const { id } = await make.campaign(owner)
  const path = `/console/campaigns/${id}`
  const newestIds: number[] = []
  for (let index = 1; index <= 27; index += 1) {
    const link = await make.link(owner)
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link.id)
    newestIds.unshift(link.id)
  }
  const listShownIds = async (query = '') => {
    const { body } = await person.open(`${path}${query}`)
    return [...body.matchAll(/links\/(\d+)\/remove/g)].map(([, link]) => Number(link))
  }
  expect(await listShownIds()).toEqual(newestIds.slice(0, 25))
  expect(await listShownIds('?page=2')).toEqual(newestIds.slice(25))
  expect(await listShownIds('?page=99')).toEqual(newestIds.slice(25))
  expect(await listShownIds('?page=-1')).toEqual(newestIds.slice(0, 25))
  expect((await person.open(`${path}?period=7d`)).body).toContain('period=7d&amp;page=2#items')
  const removal = await person.send(`${path}/links/${newestIds[26]}/remove?page=2`)
  expect(removal.headers.location).toBe(`${path}?page=2#items`)
  expect(await listShownIds('?page=2')).toEqual([newestIds[25]])
})

test('returns 404 for foreign and unknown campaigns', async ({
  app,
  make,
  owner,
  person,
  otherPerson,
}) => {
  const { id } = await make.campaign(owner)
  const link = await make.link(owner)
  await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, id, link.id)
  await expectPrivate(
    app,
    { person, otherPerson },
    {
      path: `/console/campaigns/${id}`,
      posts: { '/links': { link: link.alias }, [`/links/${link.id}/remove`]: {} },
    },
  )
  expect(await getCampaignLinkIds({ ...app.services, accountId: owner.account.id }, id)).toEqual([
    link.id,
  ])
})

test('the list has the number of links and clicks of each campaign', async ({
  app,
  make,
  owner,
  person,
}) => {
  const scope = { ...app.services, accountId: owner.account.id }
  const campaign = await make.campaign(owner)
  await make.campaign(owner)
  const links = [await make.link(owner), await make.link(owner)]
  for (const { id } of links) await addLinkToCampaign(scope, campaign.id, id)
  for (const { alias } of links) await visitEach(app, [alias])
  await app.importClicks()
  const { body } = await person.open('/console/campaigns')
  const readNumbers = [...body.matchAll(/<td class="number"[^>]*><bdi>(\d+)</g)].map(([, n]) => n)
  // The newest campaign comes first.
  expect(readNumbers).toEqual(['0', '0', '2', '2'])

  // The clicks of very many links are not added up for a list.
  await app.services.database.pool.query(
    `update row_counts set rows = 100001 where kind = 'campaign_links' and owner_id = $1`,
    [campaign.id],
  )
  const many = await person.open('/console/campaigns')
  expect(many.body).toMatch(
    /<td class="number"[^>]*><bdi>[\d,]+<\/bdi><\/td>\s*<td class="number"[^>]*><bdi>–</,
  )
})

test('the links of a campaign with a rotator have weights', async ({
  app,
  make,
  otherOwner,
  owner,
  person,
}) => {
  const scope = { ...app.services, accountId: owner.account.id }
  const campaign = await make.campaign(owner, { slug: 'weighted' })
  const link = await make.link(owner)
  await addLinkToCampaign(scope, campaign.id, link.id)
  const foreign = await make.campaign(otherOwner)
  const foreignLink = await make.link(otherOwner)
  const otherScope = { ...app.services, accountId: otherOwner.account.id }
  await addLinkToCampaign(otherScope, foreign.id, foreignLink.id)
  const path = `/console/campaigns/${campaign.id}`
  const send = (to: string, fields: Record<string, string>) => person.send(`${to}/weights`, fields)
  const field = `weight-${link.id}`
  expect((await person.open(path)).body).toMatch(
    new RegExp(`name="${field}"[^>]* value="1"|value="1"[^>]* name="${field}"`),
  )
  const saved = await send(path, { [field]: '30', [`weight-${foreignLink.id}`]: '5', other: 'x' })
  expect([saved.statusCode, saved.headers.location]).toEqual([303, `${path}#items`])
  const readWeights = async () =>
    (
      await app.services.database.pool.query(
        'select link_id, weight from campaign_links order by link_id',
      )
    ).rows
  const weights = await readWeights()
  expect(weights).toContainEqual({ link_id: link.id, weight: 30 })
  for (const weight of ['0', '101', '1.5', 'x', ''])
    expect([weight, (await send(path, { [field]: weight })).statusCode]).toEqual([weight, 422])
  expect(
    (await send(`/console/campaigns/${foreign.id}`, { [`weight-${foreignLink.id}`]: '9' }))
      .statusCode,
  ).toBe(404)
  expect(await readWeights()).toEqual(weights)
  const plain = await make.campaign(owner)
  await addLinkToCampaign(scope, plain.id, link.id)
  expect((await person.open(`/console/campaigns/${plain.id}`)).body).not.toContain('Weight')
})
