import { noticePage } from './notice.ts'

export type ErrorPage = { nonce: string; status: number; message: string; home?: boolean }

const titles = new Map([
  [400, 'That did not make sense to us'],
  [403, 'This is not allowed'],
  [404, 'There is nothing here'],
  [405, 'That does not work here'],
  [410, 'No longer here'],
  [413, 'That was too much at once'],
  [414, 'That address is too long'],
  [429, 'A little too fast'],
  [503, 'Busy right now'],
])

/**
 * For every other error: `status` is what the reply is sent with, `message` the sentence that
 * tells the visitor why. Needs nothing beyond the common policy.
 */
export function errorPage({ nonce, status, message, home }: ErrorPage): string {
  const fallback = status >= 500 ? 'Something went wrong' : 'That did not work'
  return noticePage({ nonce, status, title: titles.get(status) ?? fallback, message, home })
}
