import { formatTimestamp } from '../timestamp.ts'

/** The fields of a link in the legacy API, as plain values. */
export type LegacyLink = {
  id: number
  /** The short URL with its scheme and host. */
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

/** Returns the data of `create`. `now` is the time of the call. */
export function presentCreated(link: LinkIdentity, now: Date) {
  return { ...presentIdentity(link), date_time: formatTimestamp(now) }
}

/** Returns the data of `disable` and `enable`. `now` is the time of the call. */
export function presentState(link: LegacyLink, now: Date) {
  return {
    url_id: String(link.id),
    status: link.status,
    short_url: link.shortUrl,
    date_time: formatTimestamp(now),
  }
}

/** Returns the data of `info`. `now` is the time of the call. Missing times are empty. */
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

/** Returns the data of an error. `now` is the time of the call. */
export function presentError(message: string, now: Date) {
  return { message, date_time: formatTimestamp(now) }
}

function presentIdentity({ id, shortUrl, alias, url }: LinkIdentity) {
  return { url_id: String(id), short_url: shortUrl, short_url_part: alias, original_url: url }
}

function formatOptional(date: Date | null): string {
  return date ? formatTimestamp(date) : ''
}
