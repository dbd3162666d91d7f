import { noticePage } from './notice.ts'

export type ExpiredPage = {
  nonce: string
  home?: boolean
  /** Where the link is reported. */
  report?: string
}

/** For a link past its expiry; sent with 410. Needs nothing beyond the common policy. */
export function expiredPage({ nonce, home, report }: ExpiredPage): string {
  return noticePage({
    nonce,
    status: 410,
    title: 'This link has expired',
    message: 'It was made for a limited time, which is over. Whoever shared it may have a new one.',
    home,
    report,
  })
}
