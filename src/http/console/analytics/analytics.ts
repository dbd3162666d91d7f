import type { FastifyRequest } from 'fastify'
import { listCampaigns } from '../../../campaigns/campaign.service.ts'
import { listChannels } from '../../../channels/channel.service.ts'
import type { HttpContext } from '../../../context.ts'
import { findSharedToken } from '../../../shared-statistics/shared-statistics.service.ts'
import { toSharedPath } from '../../../shared-statistics/shared-statistics.ts'
import { listTagNames } from '../../../tags/tag.service.ts'
import { t } from '../../../texts.ts'
import type { MenuItem } from '../kit/menu.ts'
import {
  DEFAULT_LABELS,
  isFiltered,
  type PageState,
  readPageState,
  readPageStatistics,
} from './read.ts'
import type { Analytics } from './section.ts'
import type { Share } from './share/menu.ts'
import { buildUrl } from './state.ts'
import type { Subject } from './subject.ts'

export type AnalyticsRequest = FastifyRequest<{
  Params: { id: string }
  Querystring: Record<string, unknown>
}>

/** The maximum number of links for which an open page receives updates. */
const MAX_LIVE_LINKS = 500
/** The maximum number of countries on a map. */
export const MAX_COUNTRIES = 300
/** The maximum number of subjects of each kind in the menu. */
const MAX_MENU_ITEMS = 20

/** Reads the statistics of a subject for the state in the URL. */
export async function loadAnalytics(
  ctx: HttpContext,
  { query, session }: Pick<AnalyticsRequest, 'query' | 'session'>,
  subject: Subject,
): Promise<Analytics> {
  const pageState = await readPageState(ctx, subject, query, session.user.timeZone)
  const { state, calendar } = pageState
  const limit = state.tabs.includes('map') ? MAX_COUNTRIES : DEFAULT_LABELS
  const [outcome, scopes, share] = await Promise.all([
    readPageStatistics(ctx, pageState, { limit, withPrevious: true }),
    listMenuSubjects(ctx, pageState),
    findShare(ctx, subject),
  ])
  const linkCount = subject.scope.linkIds?.length ?? 1
  return {
    pageState,
    outcome,
    scopes,
    share,
    now: ctx.clock(),
    credit: ctx.country.credit(),
    isLive:
      'statistics' in outcome &&
      state.choice.to === calendar.today &&
      linkCount <= MAX_LIVE_LINKS &&
      !isFiltered(state),
  }
}

/** Returns the public page of a link or campaign, or undefined for other subjects. */
async function findShare(
  ctx: HttpContext,
  { kind, id, scope }: Subject,
): Promise<Share | undefined> {
  if (kind !== 'link' && kind !== 'campaign') return undefined
  const token = await findSharedToken(ctx.db, scope.accountId, { kind, id })
  return { url: token && `${ctx.config.baseUrl}${toSharedPath(token)}` }
}

/** Returns the menu of subjects: all links, and the account's tags, campaigns and channels. */
async function listMenuSubjects(
  ctx: HttpContext,
  { subject, parameters }: PageState,
): Promise<MenuItem[]> {
  const { accountId } = subject.scope
  const page = { limit: MAX_MENU_ITEMS, offset: 0 }
  const [tags, campaigns, channels] = await Promise.all([
    listTagNames(ctx.db, accountId, MAX_MENU_ITEMS),
    listCampaigns(ctx.db, accountId, page),
    listChannels(ctx.db, accountId, page),
  ])
  const keptParameters = parameters.filter(([name]) => name !== 'tag')
  const currentGroup = subject.kind === 'account' || subject.kind === 'tag' ? [] : [subject]
  return [
    {
      href: buildUrl('/console/analytics', keptParameters),
      label: t('analytics.allLinks'),
      isCurrent: subject.kind === 'account',
    },
    ...currentGroup.map(({ name, path }) => ({
      href: buildUrl(path, keptParameters),
      label: name,
      isCurrent: true,
    })),
    ...tags.map((name) => ({
      href: buildUrl('/console/analytics', [['tag', name], ...keptParameters]),
      label: t('analytics.tagged', { name }),
      isCurrent: subject.kind === 'tag' && subject.name === name,
    })),
    ...campaigns.entries.flatMap(toGroupItem('campaign')),
    ...channels.entries.flatMap(toGroupItem('channel')),
  ]

  function toGroupItem(kind: 'campaign' | 'channel') {
    return ({ id, name }: { id: number; name: string }) =>
      kind === subject.kind && id === subject.id
        ? []
        : [
            {
              href: buildUrl(`/console/${kind}s/${id}`, keptParameters),
              label: t(`analytics.groups.${kind}`, { name }),
            },
          ]
  }
}
