import { formatTimestamp } from '../timestamp.ts'

/** What the legacy API shows of a link, as plain values. */
export type LegacyLink = {
  id: number
  /** The whole short URL, with its domain. */
  shortUrl: string
  alias: string
  url: string
  createdAt: Date
  lastClickAt: Date | null
  clicks: number
  hasPassword: boolean
  expiresAt: Date | null
  status: 'active' | 'disabled'
}

type LinkIdentity = Pick<LegacyLink, 'id' | 'shortUrl' | 'alias' | 'url'>

/** The data of `create`; `now` is the time of the call. */
export function presentCreated(link: LinkIdentity, now: Date) {
  return { ...presentIdentity(link), date_time: formatTimestamp(now) }
}

/** The data of `disable` and `enable`; `now` is the time of the call. */
export function presentState(link: LegacyLink, now: Date) {
  return {
    url_id: String(link.id),
    status: link.status,
    short_url: link.shortUrl,
    date_time: formatTimestamp(now),
  }
}

/** The data of `info`; `now` is the time of the call. Times that there are not are empty. */
export function presentInfo(link: LegacyLink, now: Date) {
  return {
    ...presentIdentity(link),
    date_created: formatTimestamp(link.createdAt),
    last_accessed: formatOptional(link.lastClickAt),
    total_visits: link.clicks,
    has_password: link.hasPassword,
    expiry_date: formatOptional(link.expiresAt),
    status: link.status,
    date_time: formatTimestamp(now),
  }
}

/** The data of an error; `now` is the time of the call. */
export function presentError(message: string, now: Date) {
  return { message, date_time: formatTimestamp(now) }
}

function presentIdentity({ id, shortUrl, alias, url }: LinkIdentity) {
  return { url_id: String(id), short_url: shortUrl, short_url_part: alias, original_url: url }
}

function formatOptional(date: Date | null): string {
  return date ? formatTimestamp(date) : ''
}
