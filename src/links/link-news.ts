import type { Clock } from '../clock.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Outbox } from '../webhooks/outbox.ts'
import { queueMessages } from '../webhooks/queue.queries.ts'
import { findLinks } from './link.queries.ts'
import { describeLink } from './link-events.ts'
import {
  type EndedLink,
  findClickRecipients,
  findEnded,
  lockEnds,
  lockRecipient,
  moveEnds,
  setClicksDelivery,
  takeClicks,
  wantsEnds,
} from './link-news.queries.ts'

type Dependencies = { db: Db; baseUrl: string; clock: Clock; outbox: Pick<Outbox, 'put'> }

/** Milliseconds between two messages of clicks to an endpoint. */
const CLICKS_EVERY = 1000
/** Links in a message of clicks, which has to stay below 20 KB whatever their short URLs are. */
const MOST_LINKS = 40
/** Milliseconds between looks for links that ended, and how many are told of at once. */
const ENDS_EVERY = 5000
const MOST_ENDS = 200

/** What happens to links by itself, and others are to be told of: clicks, and ends. */
export function createLinkNews({ db, baseUrl, clock, outbox }: Dependencies) {
  let lookedAt = -Infinity

  /** Makes a message of the clicks that each endpoint waits to be told of. */
  async function tellClicks(): Promise<void> {
    const before = new Date(clock().getTime() - CLICKS_EVERY)
    for (const { id, account_id: accountId } of await findClickRecipients(db, before)) {
      await inTransaction(db, async (tx) => {
        if (!(await lockRecipient(tx, id, before))) return
        const taken = await takeClicks(tx, id, MOST_LINKS)
        const clicksOf = new Map(taken.map(({ link_id, clicks }) => [link_id, clicks]))
        const links = await findLinks(tx, baseUrl, accountId, [...clicksOf.keys()])
        const told = links.map(({ id, shortUrl }) => {
          return { id, shorturl: shortUrl, clicks: clicksOf.get(id) ?? 0 }
        })
        if (told.length === 0) return
        const clicks = told.reduce((sum, { clicks }) => sum + clicks, 0)
        const message = { accountId, type: 'link.clicked', data: [{ clicks, links: told }] }
        const now = clock()
        const [delivery] = await queueMessages(tx, { ...message, endpointId: id, now })
        await setClicksDelivery(tx, id, delivery, now)
      })
    }
  }

  /** Tells of the links whose end has come since it was last told. */
  async function tellEnds(): Promise<void> {
    const now = clock()
    const isDue = Math.abs(now.getTime() - lookedAt) >= ENDS_EVERY
    if (!isDue || !(await wantsEnds(db))) return
    while ((await tellSomeEnds(now)) === MOST_ENDS);
    lookedAt = now.getTime()
  }

  function tellSomeEnds(now: Date): Promise<number> {
    return inTransaction(db, async (tx) => {
      const after = await lockEnds(tx)
      if (!after || after.at > now) return 0
      const ended = await findEnded(tx, after, now, MOST_ENDS)
      for (const [accountId, own] of Map.groupBy(ended, (link) => link.account_id)) {
        const links = await findLinks(tx, baseUrl, accountId, own.map(idOf))
        await outbox.put(tx, accountId, 'link.ended', links.map(describeLink))
      }
      const last = ended.length === MOST_ENDS ? ended.at(-1) : undefined
      // All that ended by now has been told of, whatever its id.
      await moveEnds(tx, last?.expires_at ?? now, last?.id ?? Number.MAX_SAFE_INTEGER)
      return ended.length
    })
  }

  return { tellClicks, tellEnds }
}

function idOf({ id }: EndedLink): number {
  return id
}
