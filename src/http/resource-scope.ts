import type { HttpContext } from '../context.ts'
import type { ResourceScope } from '../resources/definition.ts'

/** Returns the scope of an account's request, by default without a transaction. */
export function scopeOf(ctx: HttpContext, accountId: number, db = ctx.db): ResourceScope {
  return { ...ctx, db, accountId }
}
