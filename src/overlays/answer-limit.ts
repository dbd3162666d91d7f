import type { WebContext } from '../context.ts'

/** Answers per minute to the overlay of one link from one address. */
const ANSWERS = 20

/** Counts a visitor's answer to the overlay of a link; returns the seconds to wait if there were too many. */
export function countAnswer(
  ctx: WebContext,
  linkId: number,
  address: string,
): Promise<number | undefined> {
  return ctx.rateLimiter.count(`answer:${linkId}:${ctx.hashAddress(address)}`, ANSWERS)
}
