import type { Services } from '../../services.ts'
import { countryNames } from '../../visitors/country-names.ts'
import { namesOfLanguages } from '../../visitors/language.ts'
import type { DeviceTarget } from '../../visitors/user-agent.ts'
import type { Choice, LinkChoices, LinkForm } from './link-editor/form.ts'

/** As many of each kind as a person can choose from; the newest are offered. */
const OFFERED = { limit: 500, offset: 0 }

const deviceNames: Readonly<Record<DeviceTarget, string>> = {
  iphone: 'iPhone',
  ipad: 'iPad',
  android: 'Android',
  windows: 'Windows',
  macos: 'macOS',
  linux: 'Linux',
  chromeos: 'ChromeOS',
  mobile: 'Any phone',
  tablet: 'Any tablet',
  desktop: 'Any computer',
}
const devices = Object.entries(deviceNames).map(([value, label]) => ({ value, label }))

/** What an account may choose from in a form, and what is chosen there, the newest first. */
export async function linkChoices(
  { config, campaigns, channels, domains, splashes, overlays, pixels, tags }: Services,
  accountId: number,
  form: LinkForm,
): Promise<LinkChoices> {
  const [hosts, pages, cards, beacons, names, groups, shelves] = await Promise.all([
    domains.list(accountId, OFFERED),
    splashes.list(accountId, OFFERED),
    overlays.list(accountId, OFFERED),
    pixels.list(accountId, OFFERED),
    tags.names(accountId, OFFERED.limit),
    campaigns.list(accountId, OFFERED),
    channels.list(accountId, OFFERED),
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
    countries: countryNames(),
    devices,
    languages: namesOfLanguages(),
  }
}

function named({ id, name }: { id: number; name: string }): Choice {
  return { value: String(id), label: name }
}

/** Those that are chosen first, in their order, since that is the order in which they will be sent. */
function inOrder(offered: readonly Choice[], chosen: readonly string[]): Choice[] {
  const names = new Map(offered.map(({ value, label }) => [value, label]))
  return [
    ...chosen.map((value) => ({ value, label: names.get(value) ?? value })),
    ...offered.filter(({ value }) => !chosen.includes(value)),
  ]
}
