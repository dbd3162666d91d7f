import { expect } from 'vitest'
import { addLinkToCampaign, getCampaignLinkIds } from '../../src/resources/campaign-links.ts'
import { expectPrivate, groupTest as test, visitEach } from '../support/group-page.ts'
import { readFigures, readList } from '../support/link-page.ts'

test('shows the public URLs of a campaign', async ({ make, owner, person }) => {
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

  const privateCampaign = await make.campaign(owner)
  const privatePage = await person.open(`/console/campaigns/${privateCampaign.id}`)
  expect(privatePage.body).toContain('<dt>Public list</dt><dd>Off</dd>')
  expect(privatePage.body).not.toContain('data-copy="rotator"')
})

test('adds links by short URL or alias and removes them', async ({ app, make, owner, person }) => {
  const { id } = await make.campaign(owner)
  const path = `/console/campaigns/${id}`
  const getLinkIds = () => getCampaignLinkIds({ ...app.services, accountId: owner.account.id }, id)
  const first = await make.link(owner, { alias: 'first-one' })
  const second = await make.link(owner, { alias: 'zweite-ä' })
  await make.domain(owner, { domain: 'https://campaign.example' })
  const third = await make.link(owner, { alias: 'branded', domain: 'campaign.example' })
  // Adding a link again changes nothing.
  const inputs = [
    'first-one',
    '/first-one',
    'first-one',
    'branded',
    'https://CAMPAIGN.example/branded/',
    ` ${second.shortUrl} `,
    'zweite-ä',
    'zweite-%C3%A4',
    'brev.test/zweite-a\u0308',
    'http://brev.test/zweite-%c3%a4',
    'campaign.example/branded',
  ]
  for (const link of inputs) {
    const reply = await person.send(`${path}/links`, { link })
    expect(reply.statusCode).toBe(303)
    expect(reply.headers.location).toMatch(new RegExp(`^${path}\\?added=\\d+#items$`))
    const campaignPage = await person.open(String(reply.headers.location).split('#')[0] ?? '')
    expect(campaignPage.body).toContain('added.')
    expect(campaignPage.body).not.toContain('>http://')
  }
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

test('shows an error next to the field for an unknown link', async ({
  app,
  make,
  otherOwner,
  owner,
  person,
}) => {
  const { id } = await make.campaign(owner)
  await make.link(otherOwner, { alias: 'not-yours' })
  // An alias on two domains of the account is ambiguous.
  for (const domain of ['one.example', 'two.example']) {
    await make.domain(owner, { domain: `https://${domain}` })
    await make.link(owner, { alias: 'on-two', domain })
  }
  const hostile = '"><script>alert(1)</script>'
  for (const link of [
    'on-two',
    '%ED%A0%80',
    'not%2Dyours',
    'not-yours',
    'http://brev.test/not-yours',
    'nowhere',
    '',
    '\0',
    hostile,
  ]) {
    const reply = await person.send(`/console/campaigns/${id}/links`, { link })
    expect([link, reply.statusCode]).toEqual([link, 422])
    expect(reply.body).toContain('Link not found.')
    expect(reply.body).toMatch(/name="link"[^>]*aria-invalid="true"/)
    expect(reply.body).not.toContain('<script>alert')
  }
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
})
