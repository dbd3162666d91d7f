import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { parseTags, type Tag } from '../tags/tag.service.ts'
import { checkDestination } from './destination.ts'
import type { FieldRules } from './field.ts'
import type { LinkInput } from './link-input.ts'
import type { LinkType } from './link-type.ts'
import { parseAlias } from './rules/alias.ts'
import { parseExpiry, parseStart } from './rules/expiry.ts'
import { MAX_PIXELS } from './rules/lengths.ts'
import { MAX_RULES, type Rule } from './rules/rule.ts'
import { extractAlias } from './short-url.ts'

/** Creates the validation rules for links that an account creates or changes now. */
export function createFieldRules(
  ctx: Context,
  db: Db,
  accountId: number,
  current: readonly Rule[] = [],
): FieldRules {
  const now = ctx.clock()
  return {
    current,
    // Imported links may have more rules, which are not removed.
    maxRules: Math.max(MAX_RULES, current.length),
    readStart: parseStart,
    readMoment: (field, value) => parseExpiry(field, value, now),
    checkUrl: (field, url) => checkDestination(ctx, field, url),
    checkPage: (type) => requireOwnPage(db, accountId, type),
    hashPassword: (password) => ctx.linkPasswords.hash(accountId, password),
  }
}

async function requireOwnPage(
  db: Db,
  accountId: number,
  { splashId, overlayId }: LinkType,
): Promise<void> {
  if (splashId !== null && !(await ownsPage(db, 'splash_pages', accountId, splashId))) {
    throw invalid('type', 'unknown_splash')
  }
  if (overlayId !== null && !(await ownsPage(db, 'overlays', accountId, overlayId))) {
    throw invalid('type', 'unknown_overlay')
  }
}

/**
 * Validates the alias and the parts of the input that are stored in other tables. Those that the
 * client did not send are undefined.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function readParts(
  { alias, pixels, tags }: Pick<LinkInput, 'alias' | 'pixels' | 'tags'>,
  site: string,
): { alias?: string | undefined; pixels?: readonly number[]; tags?: readonly Tag[] } {
  if ((pixels ?? []).length > MAX_PIXELS) {
    throw invalid('pixels', 'at_most_entries', { max: MAX_PIXELS })
  }
  return {
    alias: alias ? parseAlias('alias', extractAlias(alias, site)) : undefined,
    ...(pixels !== undefined && { pixels: pixels ?? [] }),
    ...(tags !== undefined && { tags: parseTags('tags', tags ?? []) }),
  }
}

/** Returns whether the account owns a splash page or overlay. */
async function ownsPage(
  db: Db,
  table: 'splash_pages' | 'overlays',
  accountId: number,
  id: number,
): Promise<boolean> {
  const row = await db
    .selectFrom(table)
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
