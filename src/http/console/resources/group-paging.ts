import { buildUrl } from '../analytics/state.ts'
import type { Analytics } from '../analytics/statistics.ts'

/** The number of items on a page. */
export const PER_PAGE = 25

/**
 * Returns the requested page number, 1 by default. If the number of items is known, returns at most
 * the number of the last page.
 */
export function clampPage(value: unknown, total = Number.POSITIVE_INFINITY): number {
  const page = typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 1
  return Math.min(page, Math.max(1, Math.ceil(total / PER_PAGE)))
}

/** Returns the URL of a page of a group's items. It keeps the state of the statistics above them. */
export function buildItemsHref({ pageState }: Analytics, page: number): string {
  const pageParameter = page > 1 ? [['page', String(page)] as const] : []
  return buildUrl(`${pageState.subject.path}#items`, [...pageState.parameters, ...pageParameter])
}
