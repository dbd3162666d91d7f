import type { HttpContext } from '../../../context.ts'
import { invalid } from '../../../errors.ts'
import { findByShortLink } from '../../../links/link-list.service.ts'
import { type CodeForm, isOfLink } from './form.ts'
import { codeMessages as messages } from './messages.ts'

/**
 * Requires that a form for a link's code names a link of the account.
 *
 * @throws AppError `invalid_input` naming `link`
 */
export async function requireLink(
  ctx: HttpContext,
  accountId: number,
  form: CodeForm,
): Promise<void> {
  if (!isOfLink(form)) return
  const link = await findByShortLink(ctx, ctx.db, accountId, form.values.link?.trim() ?? '')
  if (!link) throw invalid('link', messages.source.notFound)
}
