import type { SharedPart } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { createReadCache } from '../db/read-cache.ts'
import { findVisitLink, type KnownLink } from './visit-link.queries.ts'

export type VisitLinks = ReturnType<typeof createVisitLinks>

/** Links by the domain and alias that visitors ask for, from memory where possible. */
export function createVisitLinks({
  db,
  baseUrl,
  max = 100_000,
  patience,
}: {
  db: Db
  baseUrl: string
  max?: number
  patience?: number | undefined
}) {
  const cache = createReadCache<KnownLink>({
    max,
    patience,
    load: (key) => {
      const cut = key.indexOf('/')
      const domainId = cut === 0 ? null : Number(key.slice(0, cut))
      return findVisitLink(db, baseUrl, domainId, key.slice(cut + 1))
    },
    tagsOf: ({ parts }) => parts,
  })
  return {
    cache,
    /** The link if it can be had without waiting. */
    peek: (domainId: number | null, alias: string) => cache.peek(keyOf(domainId, alias)),
    /** The link, or null. Throws AppError `database_unavailable` when neither can be known. */
    find: (domainId: number | null, alias: string) => cache.get(keyOf(domainId, alias)),
    /** Has the link read again, after a change of it. */
    invalidate: (domainId: number | null, alias: string) =>
      cache.invalidate(keyOf(domainId, alias)),
    /** Has the links read again that are made of a pixel, a splash page or an overlay. */
    invalidatePart: ({ kind, id }: SharedPart) => cache.invalidateTagged(`${kind} ${id}`),
    /** Has the links of an account read again. */
    invalidateAccount: (id: number) => cache.invalidateWhere(({ accountId }) => accountId === id),
  }
}

function keyOf(domainId: number | null, alias: string): string {
  return domainId === null ? `/${alias}` : `${domainId}/${alias}`
}
