import { noticePage } from './notice.ts'

export type BlockedPage = { nonce: string; home?: boolean }

/** For a link to a host that the operator has blocked; sent with 410. Needs nothing beyond the common policy. */
export function blockedPage({ nonce, home }: BlockedPage): string {
  return noticePage({
    nonce,
    status: 410,
    title: 'This link is blocked',
    message: 'It leads to a site that the operator of this service has blocked, so it ends here.',
    home,
  })
}
