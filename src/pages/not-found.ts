import { noticePage } from './notice.ts'

export type NotFoundPage = { nonce: string; home?: boolean }

/** For a short link that does not exist; sent with 404. Needs nothing beyond the common policy. */
export function notFoundPage({ nonce, home }: NotFoundPage): string {
  return noticePage({
    nonce,
    status: 404,
    title: 'There is nothing here',
    message:
      'No link has this address. Capital and small letters count, so please compare it with the one you were given.',
    home,
  })
}
