import { randomInt } from 'node:crypto'
import { deleteLink, updateLink } from '../../src/links/link.service.ts'
import { bios } from '../../src/resources/bios.ts'
import { addLinkToCampaign, removeLinkFromCampaign } from '../../src/resources/campaign-links.ts'
import { scopeOf } from '../../src/scope.ts'
import { setSuspended } from './accounts.ts'
import type { Deployment } from './deployment.ts'

/**
 * Returns `edit`, which makes one random change to a table that link stores follow, and
 * `countRejected`, which returns how many changes were rejected.
 */
export async function createEditor(deployment: Deployment) {
  const { make, owner, services, database } = deployment
  const { id: account } = owner.account
  const [splash, overlay, pixel, campaign, bio, otherOwner] = await Promise.all([
    make.splash(owner),
    make.overlay(owner),
    make.pixel(owner),
    make.campaign(owner, { slug: 'random' }),
    make.bio(owner),
    make.owner(),
  ])
  const links: number[] = []
  const randomLink = () => links[randomInt(links.length)] ?? 0
  const url = 'https://example.com/target'
  const updateRandomLink = (input: { url: string; type?: string }) =>
    updateLink(scopeOf(services, account), randomLink(), input)
  const query = (text: string, values: unknown[] = []) => database.pool.query(text, values)
  const edits: (() => Promise<unknown>)[] = [
    async () => links.push((await make.link(owner)).id),
    async () => links.push((await make.link(owner, { pixels: [pixel.id] })).id),
    () => updateRandomLink({ url: `https://example.com/${randomInt(99)}` }),
    () => updateRandomLink({ url, type: String(splash.id) }),
    () => updateRandomLink({ url, type: `overlay-${overlay.id}` }),
    async () => {
      for (const id of links.splice(randomInt(links.length), 1))
        await deleteLink(scopeOf(services, account), id)
    },
    () => addLinkToCampaign({ ...services, accountId: account }, campaign.id, randomLink()),
    () =>
      bios.update({ ...services, accountId: account }, bio.id, {
        alias: `random-${randomInt(9)}`,
        links: [{ url: `https://${randomInt(9)}.example` }],
      }),
    () => removeLinkFromCampaign({ ...services, accountId: account }, campaign.id, randomLink()),
    () => setSuspended(services, otherOwner.account.id, randomInt(2) === 1),
    () => query(`update pixels set tag = $1 where id = $2`, [`AB-${randomInt(999)}`, pixel.id]),
    () => query(`update links set status = 'disabled' where id % 7 = $1`, [randomInt(7)]),
    // Sleeps, so that it may commit after transactions that started later.
    () =>
      query(
        `with slow as (select pg_sleep(random() / 5))
               update splash_pages set title = $1 from slow where id = $2`,
        [`${randomInt(999)}`, splash.id],
      ),
    () =>
      query(
        `insert into blocked_hosts (host, subdomains, blocked_by) values ($1, true, 'test')
               on conflict do nothing`,
        [`blocked-${randomInt(50)}.example`],
      ),
    () => query('delete from blocked_hosts where host = $1', [`blocked-${randomInt(50)}.example`]),
  ]
  let rejected = 0
  for (let index = 0; index < 50; index += 1) links.push((await make.link(owner)).id)
  const edit = async (): Promise<void> => {
    // Another editor may have deleted the link or hold a lock.
    await edits[randomInt(edits.length)]?.().catch(() => {
      rejected += 1
    })
    if (links.length < 20) links.push((await make.link(owner)).id)
  }
  return { edit, countRejected: () => rejected }
}
