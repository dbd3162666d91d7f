import { noticePage } from './notice.ts'

export type DisabledPage = {
  nonce: string
  home?: boolean
  /** Where the link is reported. */
  report?: string
}

/**
 * For a link that its owner or an admin has disabled, or whose account is suspended; it does not say
 * which. Sent with 410. Needs nothing beyond the common policy.
 */
export function disabledPage({ nonce, home, report }: DisabledPage): string {
  return noticePage({
    nonce,
    status: 410,
    title: 'This link is disabled',
    message: 'Its destination is not available.',
    home,
    report,
  })
}
