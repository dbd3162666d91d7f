import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction } from '../db/transaction.ts'
import type { LinkStatus } from '../links/link.ts'
import { type ModeratedLink, moderateLink } from '../links/link-moderation.ts'
import { normalizeOptionalText } from '../text.ts'
import { logAction } from './operator-log.service.ts'

const MAX_REASON = 200

/**
 * Disables or enables the link at a short URL, in any account.
 *
 * @throws AppError `invalid_input` naming `url` or `reason`, `not_found`
 */
export function changeLinkStatus(
  ctx: Context,
  db: Db,
  actor: string,
  shortUrl: string,
  { status, reason }: { status: LinkStatus; reason?: string | undefined },
): Promise<ModeratedLink> {
  return inTransaction(db, async (tx) => {
    const link = await moderateLink(ctx, tx, shortUrl, status, reason)
    const action = status === 'disabled' ? 'link.disable' : 'link.enable'
    const detail = normalizeOptionalText('reason', reason, MAX_REASON)
    await logAction(ctx, tx, { actor, action, subject: link.shortUrl, detail })
    return link
  })
}
