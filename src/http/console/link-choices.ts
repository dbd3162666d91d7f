import { listCampaigns } from '../../campaigns/campaign.service.ts'
import { listChannels } from '../../channels/channel.service.ts'
import type { HttpContext } from '../../context.ts'
import { listDomains } from '../../domains/domain.service.ts'
import { listOverlays } from '../../overlays/overlay.service.ts'
import { listPixels } from '../../pixels/pixel.service.ts'
import { listSplashes } from '../../splash/splash.service.ts'
import { tagNames } from '../../tags/tag.service.ts'
import { timeZones } from '../../time-zone.ts'
import { listUtmTemplates } from '../../utm/utm-template.service.ts'
import { countryNames } from '../../visitors/country-names.ts'
import { namesOfLanguages } from '../../visitors/language.ts'
import type { Choice, LinkChoices, LinkForm } from './link-editor/form.ts'
import { editorMessages } from './link-editor/messages.ts'

/** The maximum number of choices per kind. The newest are offered. */
const OFFERED = { limit: 500, offset: 0 }

const devices = Object.entries(editorMessages.devices).map(([value, label]) => ({ value, label }))

/** Returns what the account can select in the link form, newest first, and what is selected. */
export async function linkChoices(
  ctx: HttpContext,
  accountId: number,
  form: LinkForm,
): Promise<LinkChoices> {
  const { config } = ctx
  const [hosts, pages, cards, beacons, names, groups, shelves, templates] = await Promise.all([
    listDomains(ctx.db, accountId, OFFERED),
    listSplashes(ctx.db, accountId, OFFERED),
    listOverlays(ctx.db, accountId, OFFERED),
    listPixels(ctx.db, accountId, OFFERED),
    tagNames(ctx.db, accountId, OFFERED.limit),
    listCampaigns(ctx.db, accountId, OFFERED),
    listChannels(ctx.db, accountId, OFFERED),
    listUtmTemplates(ctx.db, accountId),
  ])
  return {
    host: new URL(config.baseUrl).host,
    domains: hosts.entries.map(({ host }) => host),
    splashes: pages.entries.map(named),
    overlays: cards.entries.map(({ id, name }) => ({ value: `overlay-${id}`, label: name })),
    pixels: inOrder(beacons.entries.map(named), form.pixels),
    campaigns: inOrder(groups.entries.map(named), form.campaigns),
    channels: inOrder(shelves.entries.map(named), form.channels),
    tags: names,
    templates,
    countries: countryNames(),
    devices,
    languages: namesOfLanguages(),
    timeZones: timeZones(),
  }
}

function named({ id, name }: { id: number; name: string }): Choice {
  return { value: String(id), label: name }
}

/** Selected choices come first, in the order in which they will be submitted. */
function inOrder(offered: readonly Choice[], chosen: readonly string[]): Choice[] {
  const names = new Map(offered.map(({ value, label }) => [value, label]))
  return [
    ...chosen.map((value) => ({ value, label: names.get(value) ?? value })),
    ...offered.filter(({ value }) => !chosen.includes(value)),
  ]
}
