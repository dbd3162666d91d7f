import type { HttpContext } from '../../../context.ts'
import { listDomains } from '../../../domains/domain.service.ts'
import { AppError, checkAllAsync, invalid } from '../../../errors.ts'
import {
  addLinkToCampaign,
  findCampaignIdsOfLink,
  removeLinkFromCampaign,
} from '../../../resources/campaign-links.ts'
import { campaigns as campaignResource } from '../../../resources/campaigns.ts'
import {
  addItemToChannel,
  findChannelIdsOfLink,
  removeItemFromChannel,
} from '../../../resources/channel-items.ts'
import { channels as channelResource } from '../../../resources/channels.ts'
import { overlays as overlayResource } from '../../../resources/overlays.ts'
import { pixels as pixelResource } from '../../../resources/pixels.ts'
import { splashes as splashResource } from '../../../resources/splashes.ts'
import type { AccountScope, Scope } from '../../../scope.ts'
import { listTagNames } from '../../../tags/tag.service.ts'
import { t, tAll } from '../../../texts.ts'
import { listTimeZones } from '../../../time-zone.ts'
import { listUtmTemplates } from '../../../utm/utm-template.service.ts'
import type { Choice, ChoiceGroup } from '../kit/fields.ts'
import { placeNames } from '../shell/place-names.ts'
import type { LinkForm } from './form.ts'

type Memberships = Pick<LinkForm, 'campaigns' | 'channels'>
type Entry = { id: number; name: string }
export type LinkChoices = Awaited<ReturnType<typeof loadLinkChoices>>

/** The maximum number of choices per kind. The newest are offered. */
const NEWEST = { limit: 500, offset: 0 }

const MEMBERSHIPS = {
  campaigns: {
    get: campaignResource.get,
    add: addLinkToCampaign,
    remove: removeLinkFromCampaign,
  },
  channels: {
    get: channelResource.get,
    add: (scope: AccountScope, id: number, linkId: number) =>
      addItemToChannel(scope, id, { type: 'links', id: linkId }),
    remove: (scope: AccountScope, id: number, linkId: number) =>
      removeItemFromChannel(scope, id, { type: 'links', id: linkId }),
  },
} as const

/** Returns the choices of the link form, newest first, and the selected ones. */
export async function loadLinkChoices(scope: Scope<HttpContext>, form: LinkForm) {
  const { config } = scope
  const [domains, splashes, overlays, pixels, tags, campaigns, channels, templates] =
    await Promise.all([
      listDomains(scope, NEWEST),
      splashResource.list(scope, NEWEST),
      overlayResource.list(scope, NEWEST),
      pixelResource.list(scope, NEWEST),
      listTagNames(scope, NEWEST.limit),
      campaignResource.list(scope, NEWEST),
      channelResource.list(scope, NEWEST),
      listUtmTemplates(scope),
    ])
  return {
    /** The service's own host. */
    host: new URL(config.baseUrl).host,
    /** The hosts of branded domains. */
    domains: domains.entries.map(({ host }) => host),
    /** The types of redirect: plain ones, splash pages and overlays. */
    types: withSelected(form.texts.type, [
      ...Object.entries(tAll('linkForm.types')).map(([value, label]) => ({ value, label })),
      ...listGroup(t('linkForm.splashes'), splashes.entries, (id) => String(id)),
      ...listGroup(t('linkForm.overlays'), overlays.entries, (id) => `overlay-${id}`),
    ]),
    pixels: listSelection(pixels.entries, form.pixels),
    campaigns: listSelection(campaigns.entries, form.campaigns),
    channels: listSelection(channels.entries, form.channels),
    /** Tags of the account's links. */
    tags,
    templates,
    countries: placeNames.country.listLocalized(),
    devices: Object.entries(tAll('rules.devices')).map(([value, label]) => ({ value, label })),
    languages: placeNames.language.listLocalized(),
    timeZones: listTimeZones(),
  }
}

function listGroup(
  label: string,
  entries: readonly Entry[],
  toValue: (id: number) => string,
): ChoiceGroup[] {
  const choices = entries.map(({ id, name }) => ({ value: toValue(id), label: name }))
  return choices.length > 0 ? [{ label, choices }] : []
}

/** Adds the selected choice if it is no longer offered. */
function withSelected(value: string | undefined, choices: readonly (Choice | ChoiceGroup)[]) {
  const known = choices.flatMap((choice) => ('choices' in choice ? choice.choices : choice))
  const isKnown = !value || known.some((choice) => choice.value === value)
  return isKnown ? choices : [{ value, label: value }, ...choices]
}

/** Selected choices come first, in the order in which they will be submitted. */
function listSelection(offered: readonly Entry[], selected: readonly string[]) {
  const names = new Map(offered.map(({ id, name }) => [String(id), name]))
  const values = new Set([...selected, ...names.keys()])
  return [...values].map((value) => ({
    value,
    label: names.get(value) ?? value,
    isChecked: selected.includes(value),
  }))
}

/** Returns the campaigns and channels of a link, as form values. */
export async function readMemberships(scope: AccountScope, linkId: number): Promise<Memberships> {
  const [campaigns, channels] = await Promise.all([
    findCampaignIdsOfLink(scope, linkId),
    findChannelIdsOfLink(scope, linkId),
  ])
  return { campaigns: campaigns.map(String), channels: channels.map(String) }
}

/**
 * Rejects ids that do not belong to the account, before anything is stored.
 *
 * @throws AppError `invalid_input` naming `campaigns` or `channels`
 */
export async function checkMemberships(scope: AccountScope, selected: Memberships): Promise<void> {
  const check = async (kind: 'campaigns' | 'channels') => {
    for (const id of selected[kind]) {
      const isId = /^[1-9]\d{0,14}$/.test(id)
      const entry = isId && (await MEMBERSHIPS[kind].get(scope, Number(id)).catch(ignoreNotFound))
      if (!entry) throw invalid(kind, 'unknown_entry')
    }
  }
  await checkAllAsync(
    () => check('campaigns'),
    () => check('channels'),
  )
}

/** Adds a link to newly selected campaigns and channels and removes it from deselected ones. */
export async function changeMemberships(
  scope: AccountScope,
  linkId: number,
  { selected, previous }: { selected: Memberships; previous: Memberships },
): Promise<void> {
  for (const kind of ['campaigns', 'channels'] as const) {
    const { add, remove } = MEMBERSHIPS[kind]
    const added = selected[kind].filter((id) => !previous[kind].includes(id))
    const removed = previous[kind].filter((id) => !selected[kind].includes(id))
    for (const id of added) await add(scope, Number(id), linkId)
    for (const id of removed) await remove(scope, Number(id), linkId)
  }
}

function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof AppError) || error.code !== 'not_found') throw error
  return undefined
}
