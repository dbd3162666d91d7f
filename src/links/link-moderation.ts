import { readTotals } from '../clicks/read.ts'
import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import type { Hosts } from '../domains/hosts.ts'
import { AppError, invalid } from '../errors.ts'
import { freeReviewed, reserveDestinations } from '../holds/reserve.queries.ts'
import { optionalText } from '../text.ts'
import type { Link, LinkStatus } from './link.ts'
import { describeAnyLink, findAnyLink, setLinkStatus } from './link-moderation.queries.ts'
import { targetsOf } from './link-targets.ts'
import { findGuesses } from './password-guesses.queries.ts'
import { createAddressFinder, type ShortLinkAddress } from './short-link.ts'
import { parseShortLink, shortUrlOf } from './short-url.ts'

export type LinkModeration = ReturnType<typeof createLinkModeration>

export type ModeratedLink = {
  id: number
  /** The e-mail address of the account that the link belongs to. */
  email: string
  shortUrl: string
  url: string
  status: LinkStatus
  /** Whether it was otherwise before. */
  changed: boolean
}

/** A link as the operator looks at it. */
export type SeenLink = Pick<
  Link,
  'status' | 'block' | 'expiresAt' | 'hasPassword' | 'createdAt'
> & {
  id: number
  shortUrl: string
  url: string
  /** Everything that its visitors may be led to, its own target first. */
  targets: readonly string[]
  /** Whether it is the link behind a QR code. */
  ofCode: boolean
  clicks: number
  account: { id: number; username: string; suspended: boolean }
}

type Dependencies = { db: Db; baseUrl: string; hosts: Pick<Hosts, 'resolve'> }

/** What the operator may do to anybody's link. */
export function createLinkModeration({ db, baseUrl, hosts }: Dependencies) {
  const findAddress = createAddressFinder({ db, hosts })

  return {
    /**
     * Lets visitors of a short URL through or not, whoever's link it is; also that of a QR code. Its
     * owner sees the reason, cannot enable it again, and cannot link to its destinations again.
     *
     * @throws AppError `invalid_input` naming `url` or `reason`, `not_found`
     */
    async setStatus(shortUrl: string, status: LinkStatus, reason?: string): Promise<ModeratedLink> {
      const why = optionalText('reason', reason, 200)
      const address = await readAddress(shortUrl)
      const link = await inTransaction(db, async (tx) => {
        const found = await findLinkAt(tx, address)
        await setLinkStatus(tx, found.id, status, why)
        if (status === 'disabled') await reserveDestinations(tx, [found.id])
        else await freeReviewed(tx, { linkId: found.id })
        const { domainId, alias } = address
        await notify(tx, [{ kind: 'link', domainId, alias }])
        return found
      })
      const { id, email, url } = link
      const changed = link.status !== status
      return { id, email, shortUrl: shortUrlAt(address), url, status, changed }
    },

    /**
     * The link at a short URL, whoever's it is.
     *
     * @throws AppError `invalid_input` naming `url`, `not_found`
     */
    async find(shortUrl: string): Promise<SeenLink> {
      const address = await readAddress(shortUrl)
      const row = await describeAnyLink(db, address.domainId, address.alias)
      if (!row) throw notFound(shortUrl)
      const totals = await readTotals(db, [row.id])
      return {
        id: row.id,
        shortUrl: shortUrlAt(address),
        url: row.url,
        targets: targetsOf(row),
        ofCode: row.kind !== 'link',
        status: row.status,
        block: row.blocked_at && { at: row.blocked_at, reason: row.block_reason },
        expiresAt: row.expires_at,
        hasPassword: row.has_password,
        createdAt: row.created_at,
        clicks: totals.get(row.id)?.clicks ?? 0,
        account: {
          id: row.account_id,
          username: row.username,
          suspended: row.suspended_at !== null,
        },
      }
    },

    /**
     * What is known of the guesses at the password of a short URL, whoever's link it is.
     *
     * @throws AppError `invalid_input` naming `url`, `not_found`
     */
    async guesses(shortUrl: string) {
      const address = await readAddress(shortUrl)
      const { id, email } = await inTransaction(db, (tx) => findLinkAt(tx, address))
      return { id, email, shortUrl: shortUrlAt(address), guesses: await findGuesses(db, id) }
    },
  }

  async function readAddress(shortUrl: string): Promise<Address> {
    if (!parseShortLink(shortUrl)) throw invalid('url', 'must be a short link or an alias')
    const found = await findAddress(shortUrl)
    if (!found) throw notFound(shortUrl)
    return { shortUrl, ...found }
  }

  async function findLinkAt(tx: Tx, { shortUrl, domainId, alias }: Address) {
    const link = await findAnyLink(tx, domainId, alias)
    if (!link) throw notFound(shortUrl)
    return link
  }

  function shortUrlAt({ origin, alias }: Address): string {
    return shortUrlOf(origin ?? baseUrl, alias)
  }
}

type Address = ShortLinkAddress & {
  /** The short link as it was typed. */
  shortUrl: string
}

function notFound(shortUrl: string): AppError {
  return new AppError('not_found', `There is no link at ${shortUrl}.`)
}
