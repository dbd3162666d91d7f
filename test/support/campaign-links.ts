import { addLinkToCampaign } from '../../src/resources/campaign-links.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

let count = 0

/** Creates a campaign and this many links in it, with different destinations. */
export async function makeCampaignWithLinks(
  app: TestApp,
  owner: Owner,
  linkCount: number,
  input: { public?: boolean } = {},
) {
  count += 1
  const campaign = await app.make.campaign(owner, { slug: `slug${count}`, ...input })
  const created = []
  for (let i = 0; i < linkCount; i += 1) {
    const url = `https://example.com/${count}/${i}`
    const link = await app.make.link(owner, { url, metaTitle: `Offer ${i}` })
    await addLinkToCampaign({ ...app.services, accountId: owner.account.id }, campaign.id, link.id)
    created.push(link)
  }
  return { ...campaign, links: created }
}
