import { notify } from '../db/notify.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import type { Hosts } from '../domains/hosts.ts'
import { AppError, invalid } from '../errors.ts'
import type { LinkStatus } from './link.ts'
import { findAnyLink, setLinkStatus } from './link-moderation.queries.ts'
import { parseShortUrl, shortUrlOf } from './short-url.ts'

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

type Dependencies = { db: Db; baseUrl: string; hosts: Pick<Hosts, 'resolve'> }

/** What the operator may do to anybody's link. */
export function createLinkModeration({ db, baseUrl, hosts }: Dependencies) {
  return {
    /**
     * Lets visitors of a short URL through or not, whoever's link it is; also that of a QR code. Its
     * owner may set it back: suspending the account ends that.
     *
     * @throws AppError `invalid_input` naming `url`, `not_found`
     */
    async setStatus(shortUrl: string, status: LinkStatus): Promise<ModeratedLink> {
      const parsed = parseShortUrl(shortUrl)
      if (!parsed) throw invalid('url', 'must be a short URL')
      const host = await hosts.resolve(parsed.host)
      const domain = host.kind === 'domain' ? host.domain : null
      const { alias } = parsed
      const link = await inTransaction(db, async (tx) => {
        const found =
          host.kind === 'unknown' ? undefined : await findAnyLink(tx, domain?.id ?? null, alias)
        if (!found) throw new AppError('not_found', `There is no link at ${shortUrl}.`)
        await setLinkStatus(tx, found.id, status)
        await notify(tx, [{ kind: 'link', domainId: domain?.id ?? null, alias }])
        return found
      })
      const { id, email, url } = link
      const changed = link.status !== status
      return {
        id,
        email,
        shortUrl: shortUrlOf(domain?.origin ?? baseUrl, alias),
        url,
        status,
        changed,
      }
    },
  }
}
