import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import { findByShortLink } from '../../../links/link-list.service.ts'
import { type CodeForm, isForAccountLink } from './form.ts'

/**
 * Verifies that the short link in a form for a link's code is one of the account's. Accepts all other
 * forms.
 *
 * @throws AppError `invalid_input` naming `link`
 */
export async function requireLink(
  ctx: HttpContext,
  accountId: number,
  form: CodeForm,
): Promise<void> {
  if (!isForAccountLink(form)) return
  const link = await findByShortLink(ctx, ctx.db, accountId, form.values.link?.trim() ?? '')
  if (!link) throw new AppError('invalid_input', { field: 'link', text: 'code.source.notFound' })
}
