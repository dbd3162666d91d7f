import { listCampaigns } from '../../../campaigns/campaign.service.ts'
import { listChannels } from '../../../channels/channel.service.ts'
import type { HttpContext } from '../../../context.ts'
import { listDomains } from '../../../domains/domain.service.ts'
import { listOverlays } from '../../../overlays/overlay.service.ts'
import { listPixels } from '../../../pixels/pixel.service.ts'
import { listSplashes } from '../../../splash/splash.service.ts'
import { listTagNames } from '../../../tags/tag.service.ts'
import { tAll } from '../../../texts.ts'
import { listTimeZones } from '../../../time-zone.ts'
import { listUtmTemplates } from '../../../utm/utm-template.service.ts'
import { listLocalizedCountries, listLocalizedLanguages } from '../shell/place-names.ts'
import type { Choice, LinkChoices, LinkForm } from './form.ts'

/** The maximum number of choices per kind. The newest are offered. */
const NEWEST = { limit: 500, offset: 0 }

/** Returns the choices of the link form, newest first, and the selected ones. */
export async function loadLinkChoices(
  ctx: HttpContext,
  accountId: number,
  form: LinkForm,
): Promise<LinkChoices> {
  const { config } = ctx
  const [domains, splashes, overlays, pixels, tags, campaigns, channels, templates] =
    await Promise.all([
      listDomains(ctx.db, accountId, NEWEST),
      listSplashes(ctx.db, accountId, NEWEST),
      listOverlays(ctx.db, accountId, NEWEST),
      listPixels(ctx.db, accountId, NEWEST),
      listTagNames(ctx.db, accountId, NEWEST.limit),
      listCampaigns(ctx.db, accountId, NEWEST),
      listChannels(ctx.db, accountId, NEWEST),
      listUtmTemplates(ctx.db, accountId),
    ])
  return {
    host: new URL(config.baseUrl).host,
    domains: domains.entries.map(({ host }) => host),
    splashes: splashes.entries.map(toChoice),
    overlays: overlays.entries.map(({ id, name }) => ({ value: `overlay-${id}`, label: name })),
    pixels: sortSelectedFirst(pixels.entries.map(toChoice), form.pixels),
    campaigns: sortSelectedFirst(campaigns.entries.map(toChoice), form.campaigns),
    channels: sortSelectedFirst(channels.entries.map(toChoice), form.channels),
    tags,
    templates,
    countries: listLocalizedCountries(),
    devices: Object.entries(tAll('rules.devices')).map(([value, label]) => ({ value, label })),
    languages: listLocalizedLanguages(),
    timeZones: listTimeZones(),
  }
}

function toChoice({ id, name }: { id: number; name: string }): Choice {
  return { value: String(id), label: name }
}

/** Selected choices come first, in the order in which they will be submitted. */
function sortSelectedFirst(offered: readonly Choice[], chosen: readonly string[]): Choice[] {
  const names = new Map(offered.map(({ value, label }) => [value, label]))
  return [
    ...chosen.map((value) => ({ value, label: names.get(value) ?? value })),
    ...offered.filter(({ value }) => !chosen.includes(value)),
  ]
}
