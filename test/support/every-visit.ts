import { expect } from 'vitest'
import { inTransaction } from '../../src/db/transaction.ts'
import { setSuspended } from '../../src/identity/account.service.ts'
import { deleteLink } from '../../src/links/link.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { scopeOf } from '../../src/scope.ts'
import type { Deployment } from './deployment.ts'
import { send } from './http.ts'
import type { Instance } from './instance.ts'
import { until } from './processes.ts'

/** A visit and its expected reply. */
export type Visit = {
  path: string
  host?: string
  headers?: Record<string, string>
  form?: Record<string, string>
  status: number
  location?: string
  body?: string
  /** Text that the body must not contain. */
  excludedText?: string
  /** Whether it counts as a click. */
  isClick: boolean
}

const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.0 Mobile/15E148 Safari/604.1'

/** Creates links and pages of every kind, and returns visits to them with the expected replies. */
export async function makeEveryVisit(deployment: Deployment): Promise<Visit[]> {
  const { make, owner, services } = deployment
  const { id: account } = owner.account
  const visits: Visit[] = []
  const addRedirect = (path: string, location: string, more: Partial<Visit> = {}) =>
    visits.push({ path, status: 302, location, isClick: true, ...more })

  const direct = await make.link(owner, { url: 'https://example.com/direct' })
  addRedirect(direct.alias, 'https://example.com/direct')

  const targeted = await make.link(owner, {
    url: 'https://example.com/elsewhere',
    deviceTargets: [{ device: 'iphone', link: 'https://example.com/phone' }],
    languageTargets: [{ language: 'de', link: 'https://example.com/de' }],
  })
  addRedirect(targeted.alias, 'https://example.com/elsewhere')
  addRedirect(targeted.alias, 'https://example.com/phone', { headers: { 'user-agent': IPHONE } })
  addRedirect(targeted.alias, 'https://example.com/de', { headers: { 'accept-language': 'de' } })

  const parameters = await make.link(owner, {
    url: 'https://example.com/parameters?a=1#end',
    parameters: [{ name: 'ref', value: 'x y' }],
  })
  addRedirect(parameters.alias, 'https://example.com/parameters?a=1&ref=x+y#end')

  const secret = await make.link(owner, {
    url: 'https://example.com/secret',
    password: 'open sesame',
  })
  const uncountedPage = { status: 200, isClick: false } as const
  visits.push({ ...uncountedPage, path: secret.alias, body: 'type="password"' })
  const form = { password: 'open sesame' }
  addRedirect(secret.alias, 'https://example.com/secret', { form, status: 303 })
  visits.push({ path: secret.alias, form: { password: 'wrong' }, status: 401, isClick: false })

  const splash = await make.splash(owner, { title: 'Before you go' })
  const overlay = await make.overlay(owner, { text: 'Our sale' })
  const countedPage = { isClick: true, status: 200 } as const
  const withSplash = await make.link(owner, { type: String(splash.id) })
  visits.push({ ...countedPage, path: withSplash.alias, body: 'Before you go' })
  const framed = await make.link(owner, { type: 'frame', url: 'https://example.com/framed' })
  visits.push({ ...countedPage, path: framed.alias, body: 'https://example.com/framed' })
  const withOverlay = await make.link(owner, { type: `overlay-${overlay.id}` })
  visits.push({ ...countedPage, path: withOverlay.alias, body: 'Our sale' })
  const pixel = await make.pixel(owner)
  const withPixel = await make.link(owner, { pixels: [pixel.id], url: 'https://example.com/px' })
  visits.push({ ...countedPage, path: withPixel.alias, body: 'https://example.com/px' })

  const domain = await make.domain(owner, {
    domain: 'https://brand.test',
    redirectRoot: 'https://example.com/root',
    redirect404: 'https://example.com/unknown',
    forwardQuery: true,
    assetLinks: '[{"include": "https://a.example/"}]',
  })
  const { host } = domain
  const file = { path: '.well-known/assetlinks.json', body: '[{"include": "https://a.example/"}]' }
  visits.push({ ...countedPage, ...file, host, isClick: false })
  const branded = await make.link(owner, {
    domain: host,
    alias: direct.alias,
    url: 'https://example.com/branded',
  })
  addRedirect(`${branded.alias}?a=1`, 'https://example.com/branded?a=1', { host })
  addRedirect('', 'https://example.com/root', { host, isClick: false })
  await deployment.database.pool.query(
    `update domains set accent = '#c01c28', footer = false where host = $1`,
    [host],
  )
  const brandedPage = await make.link(owner, { domain: host, type: 'splash' })
  visits.push({ ...countedPage, path: brandedPage.alias, host, body: '--accent:#' })

  const campaign = await make.campaign(owner, { name: 'Spring', slug: 'spring' })
  await addLinkToCampaign({ ...services, accountId: account }, campaign.id, parameters.id)
  addRedirect('r/spring', 'https://example.com/parameters?a=1&ref=x+y#end')

  const hidden = await make.link(owner)
  const bio = await make.bio(owner, {
    title: 'All our links',
    links: [
      { title: 'Shop', url: 'https://shop.example/' },
      { title: 'Hidden button', url: hidden.shortUrl },
    ],
    picture: async () => Buffer.from('89504e470d0a1a0a', 'hex'),
  })
  await deleteLink(scopeOf(services, account), hidden.id)
  const bioPath = `b/${bio.alias}`
  visits.push({
    ...uncountedPage,
    path: bioPath,
    body: 'All our links',
    excludedText: 'Hidden button',
  })
  visits.push({ ...uncountedPage, path: bioPath, body: `href="/${bio.links[0]?.alias}"` })
  visits.push({ ...uncountedPage, path: `${bioPath}/picture.png`, body: 'PNG' })
  addRedirect(bio.links[0]?.alias ?? '', 'https://shop.example/')

  const gone = { status: 410, isClick: false } as const
  const expired = await make.link(owner)
  await deployment.database.pool.query('update links set expires_at = now() where id = $1', [
    expired.id,
  ])
  visits.push({ ...gone, path: expired.alias, body: 'expired' })
  const expiredWithRedirect = await make.link(owner, { expiredUrl: 'https://example.com/over' })
  await deployment.database.pool.query('update links set expires_at = now() where id = $1', [
    expiredWithRedirect.id,
  ])
  addRedirect(expiredWithRedirect.alias, 'https://example.com/over', { isClick: false })
  const scheduled = await make.link(owner, { startsAt: '9999-01-01' })
  visits.push({ path: scheduled.alias, status: 404, body: 'active yet', isClick: false })
  const forwarding = await make.link(owner, { forwardQuery: true, forwardPath: true })
  addRedirect(`${forwarding.alias}/a/b?c=1`, 'https://example.com/target/a/b?c=1')
  const away = 'https://example.com/away'
  const remaining = 'https://example.com/rest'
  const split = await make.link(owner, {
    split: [
      { to: away, weight: 50 },
      { to: remaining, weight: 50 },
    ],
    rules: [{ when: { device: 'iphone' }, to: 'https://example.com/phone' }],
  })
  addRedirect(split.alias, 'https://example.com/phone', { headers: { 'user-agent': IPHONE } })
  const disabled = await make.link(owner)
  await deployment.database.pool.query(`update links set status = 'disabled' where id = $1`, [
    disabled.id,
  ])
  visits.push({ ...gone, path: disabled.alias, body: 'disabled' })
  const suspended = await make.owner()
  const suspendedLink = await make.link(suspended)
  const suspendedBio = await make.bio(suspended)
  await inTransaction(services.db, (tx) => setSuspended(services, tx, suspended.account.id, true))
  visits.push({ ...gone, path: suspendedLink.alias, body: 'disabled' })
  visits.push({ ...gone, path: `b/${suspendedBio.alias}`, body: 'No longer available' })
  return visits
}

/** Sends the visits to an instance, by default to its own host, and expects their replies. */
export async function expectVisits(
  instance: Instance,
  visits: readonly Visit[],
  defaultHost = new URL(instance.origin).host,
): Promise<void> {
  for (const visit of visits) {
    const reply = await send(`${instance.origin}/${visit.path}`, {
      method: visit.form ? 'POST' : 'GET',
      headers: { host: visit.host ?? defaultHost, ...visit.headers },
      form: visit.form,
    })
    expect({ path: visit.path, status: reply.status, location: reply.headers.location }).toEqual({
      path: visit.path,
      status: visit.status,
      location: visit.location,
    })
    if (visit.body) expect(reply.body).toContain(visit.body)
    if (visit.excludedText) expect(reply.body).not.toContain(visit.excludedText)
  }
}

/** Returns the number of clicks in the database. */
export async function countClicks({ database }: Deployment): Promise<number> {
  const { rows } = await database.pool.query<{ clicks: number }>(
    'select coalesce(sum(clicks), 0)::float8 as clicks from click_totals',
  )
  return rows[0]?.clicks ?? 0
}

/** Waits for this number of clicks in the database, and expects no more. */
export async function expectClicks(deployment: Deployment, expected: number): Promise<void> {
  await until('all clicks are imported', async () => (await countClicks(deployment)) >= expected)
  expect(await countClicks(deployment)).toBe(expected)
}
