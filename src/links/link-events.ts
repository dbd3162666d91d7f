import type { Db } from '../db/pool.ts'
import type { EventType } from '../webhooks/event.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { findLinks } from './link.queries.ts'
import type { Link } from './link.ts'

export type LinkEvents = ReturnType<typeof createLinkEvents>

type LinkEvent = Extract<EventType, `link.${string}`>

/** Tells others of an account's links, where they want to be told. */
export function createLinkEvents({ outbox, baseUrl }: { outbox: Outbox; baseUrl: string }) {
  return {
    areWanted: (db: Db, accountId: number, type: LinkEvent): Promise<boolean> =>
      outbox.wants(db, accountId, type),

    /** Tells of links as they are at this moment of the transaction, in which it is to be called. */
    async tell(tx: Db, accountId: number, type: LinkEvent, ids: readonly number[]): Promise<void> {
      if (ids.length === 0 || !(await outbox.wants(tx, accountId, type))) return
      const links = await findLinks(tx, baseUrl, accountId, ids)
      await outbox.put(tx, accountId, type, links.map(describeLink))
    },
  }
}

/** What others are told of a link: names as in the API, moments in ISO 8601. */
export function describeLink(link: Link) {
  return {
    id: link.id,
    alias: link.alias,
    shorturl: link.shortUrl,
    longurl: link.url,
    tags: link.tags,
    status: link.status,
    expiry: link.expiresAt,
    date: link.createdAt,
  }
}
