import { expect } from 'vitest'
import { createSession } from '../../src/identity/session.service.ts'
import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import { addItemToChannel } from '../../src/resources/channel-items.ts'
import { scopeOf } from '../../src/scope.ts'
import type { TestApp } from '../support/app.ts'
import type { Make, Owner } from '../support/make.ts'

/** The numbers of rows of an account that `populate` creates, by table. */
export const POPULATED_ROWS = {
  links: 6,
  link_order: 5,
  row_counts: expect.any(Number),
  account_days: 1,
  account_uncounted_days: 1,
  qr_codes: 2,
  domains: 1,
  splash_pages: 1,
  overlays: 1,
  pixels: 1,
  campaigns: 1,
  channels: 1,
  bio_pages: 1,
  api_keys: 1,
  sessions: 1,
  idempotency_keys: 1,
}

/** Creates an account with resources of each kind, and clicks on a link and a QR code. */
export async function populate(
  app: TestApp,
  make: Make,
): Promise<{ owner: Owner; linkIds: number[] }> {
  const owner = await make.owner()
  const { host } = await make.domain(owner)
  const pixel = await make.pixel(owner)
  const splash = await make.splash(owner)
  const overlay = await make.overlay(owner)
  const link = await make.link(owner, { pixels: [pixel.id] })
  await make.link(owner, { domain: host })
  await make.link(owner, { type: String(splash.id) })
  await make.link(owner, { type: `overlay-${overlay.id}` })
  const code = await make.qr(owner)
  await make.qr(owner, { type: 'text', data: 'hello' })
  const bio = await make.bio(owner)
  const channel = await make.channel(owner)

  for (const item of [
    { type: 'links', id: link.id },
    { type: 'qr', id: code.id },
    { type: 'bio', id: bio.id },
  ] as const) {
    await addItemToChannel({ ...app.services, accountId: owner.account.id }, channel.id, item)
  }
  const campaign = await make.campaign(owner)
  await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, campaign.id, link.id)
  await createSession(scopeOf(app.services, owner.account.id))
  await app.request({
    method: 'POST',
    url: '/api/url/add',
    headers: { ...owner.headers, 'idempotency-key': 'once' },
    payload: { url: 'https://example.com/' },
  })
  const { pool } = app.services.database
  await pool.query('insert into overlay_answers (overlay_id, answer) values ($1, $2)', [
    overlay.id,
    '{}',
  ])
  await app.request({
    method: 'PUT',
    url: `/api/url/${link.id}/update`,
    headers: owner.headers,
    payload: { url: 'https://example.com/changed' },
  })
  await pool.query(
    'insert into link_checks (link_id, checked_at, next_at) values ($1, now(), now())',
    [link.id],
  )
  await app.request({ url: `/${link.alias}` })
  await app.request({ method: 'HEAD', url: `/${link.alias}` })
  const { rows } = await pool.query<{ id: number; alias: string; kind: string }>(
    'select id, alias, kind from links where account_id = $1 order by id',
    [owner.account.id],
  )
  const scanned = rows.find(({ kind }) => kind === 'qr')
  await app.request({ url: `/${scanned?.alias}` })
  await app.importClicks()
  return { owner, linkIds: rows.map(({ id }) => id) }
}
