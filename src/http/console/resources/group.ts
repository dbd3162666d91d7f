import { ifAvailable, readMostClicked, sumTotals } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { linkNames } from '../../../links/link-list.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { usualLook } from '../link/code-form.ts'
import type { LinkRequest } from '../link/link-page.ts'
import { addressOf, parametersOf, readState } from '../link/state.ts'
import { readClicked, readStatistics } from '../link/statistics.ts'
import type { ShownStatistics, UnavailableStatistics } from '../link/statistics-section.ts'

export const PER_PAGE = 25
/** The number of links shown with their clicks. */
const SHOWN = 10

/** The clicks of a campaign or channel. */
export type Group = {
  path: string
  linkIds: readonly number[]
}

/**
 * Returns the clicks of links together, the most clicked links, and the URLs of the items' pages
 * for the same period.
 */
export async function readGroup(
  ctx: HttpContext,
  request: LinkRequest,
  { path, linkIds }: Group,
): Promise<{
  statistics: ShownStatistics | UnavailableStatistics
  pageHref: (page: number) => string
}> {
  const { account } = request.session
  const clicked = await readClicked(ctx, linkIds)
  const state = { ...readState(request.query, clicked.calendar), look: usualLook }
  const [shown, most] = await Promise.all([
    sumTotals(ctx.db, linkIds).then((all) => readStatistics(ctx, clicked, { state, path, all })),
    clicked.unavailable
      ? undefined
      : ifAvailable(readMostClicked(ctx.db, linkIds, state.choice, SHOWN)),
  ])
  const kept = parametersOf(state, clicked.calendar)
  const pageHref = (page: number) =>
    `${addressOf(path, page > 1 ? [...kept, ['page', String(page)]] : kept)}#items`
  if ('unavailable' in shown || !most) return { statistics: shown, pageHref }
  const names = await linkNames(
    ctx,
    ctx.db,
    account.id,
    most.map(({ linkId }) => linkId),
  )
  const ranks = most.flatMap(({ linkId, clicks }) => {
    const name = names.get(linkId)
    return name
      ? [{ label: shortLinkText(name.shortUrl), href: `/console/links/${linkId}`, clicks }]
      : []
  })
  const ranking = {
    name: 'most',
    title: 'Top links',
    one: 'Link',
    total: shown.figures.clicks.total,
  }
  const rankings = [...(ranks.length > 0 ? [{ ...ranking, ranks }] : []), ...shown.rankings]
  return { statistics: { ...shown, rankings }, pageHref }
}

/** Returns the requested page number, limited to the last page. */
export function pageWithin(value: unknown, total: number): number {
  const asked = typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 1
  return Math.min(asked, Math.max(1, Math.ceil(total / PER_PAGE)))
}
