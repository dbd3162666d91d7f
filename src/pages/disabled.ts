import { noticePage } from './notice.ts'

export type DisabledPage = {
  nonce: string
  home?: boolean
  /** Where the link is reported. */
  report?: string
}

/** For a link its owner has disabled; sent with 410. Needs nothing beyond the common policy. */
export function disabledPage({ nonce, home, report }: DisabledPage): string {
  return noticePage({
    nonce,
    status: 410,
    title: 'This link is switched off',
    message: 'Its owner has disabled it. Whoever shared it may be able to tell you more.',
    home,
    report,
  })
}
