import type { Analytics } from '../analytics/section.ts'
import { buildUrl } from '../analytics/state.ts'

export const PER_PAGE = 25

/** Returns the requested page number, limited to the last page. */
export function clampPage(value: unknown, total: number): number {
  const asked = typeof value === 'string' && /^[1-9]\d{0,8}$/.test(value) ? Number(value) : 1
  return Math.min(asked, Math.max(1, Math.ceil(total / PER_PAGE)))
}

/** Returns the URL of a page of a group's items, keeping the state of the statistics. */
export function buildItemsHref({ pageState }: Analytics, page: number): string {
  const number = page > 1 ? [['page', String(page)] as const] : []
  return buildUrl(`${pageState.subject.path}#items`, [...pageState.parameters, ...number])
}
