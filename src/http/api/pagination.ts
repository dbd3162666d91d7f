import type { Config } from '../../config.ts'
import { invalid } from '../../errors.ts'

export type PageRequest = { limit: number; page: number; offset: number }

const DEFAULT_LIMIT = 15
const MAX_LIMIT = 1000

/**
 * Reads `limit` and `page` from the query of a list. Limits above 1000 are reduced to 1000.
 *
 * @throws AppError `invalid_input` for anything but a positive integer
 */
export function readPage(query: { limit?: string; page?: string }): PageRequest {
  const limit = Math.min(readPositive('limit', query.limit, DEFAULT_LIMIT), MAX_LIMIT)
  const page = readPositive('page', query.page, 1)
  return { limit, page, offset: Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER) }
}

/** Wraps one page of a list in the API's envelope. `total` is the number of entries on all pages. */
export function presentPage<Name extends string, Entry>(
  collection: Name,
  entries: Entry[],
  { limit, page }: PageRequest,
  total: number,
  listError: Config['listError'],
) {
  const maxpage = Math.max(1, Math.ceil(total / limit))
  return {
    error: listError === 'string' ? ('0' as const) : (0 as const),
    data: {
      result: total,
      perpage: limit,
      currentpage: page,
      nextpage: Math.min(page + 1, maxpage),
      maxpage,
      ...({ [collection]: entries } as Record<Name, Entry[]>),
    },
  }
}

function readPositive(field: string, value: string | undefined, defaultValue: number): number {
  if (value === undefined || value === '') return defaultValue
  const number = Number(value)
  if (!/^\d{1,15}$/.test(value) || number < 1) throw invalid(field, 'positive_integer')
  return number
}
