import type { WebContext } from '../context.ts'

/** The maximum number of responses per minute to the overlay of one link from one IP address. */
const ANSWERS_PER_MINUTE = 20

/**
 * Counts a visitor's response to a link's overlay. Returns the seconds to wait if there were too
 * many.
 */
export function countAnswer(
  ctx: WebContext,
  linkId: number,
  address: string,
): Promise<number | undefined> {
  return ctx.rateLimiter.count(`answer:${linkId}:${ctx.hashAddress(address)}`, ANSWERS_PER_MINUTE)
}
