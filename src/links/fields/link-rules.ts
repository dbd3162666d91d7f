import type { Context } from '../../context.ts'
import { own } from '../../db/account-rows.ts'
import { checkAll, invalid } from '../../errors.ts'
import type { AccountScope, Scope } from '../../scope.ts'
import { parseTags, type Tag } from '../../tags/tag.service.ts'
import { parseAlias } from '../../urls/alias.ts'
import { extractAlias } from '../../urls/short-url.ts'
import { checkDestination } from '../destination.ts'
import type { FieldRules } from '../field.ts'
import type { LinkInput } from '../link.ts'
import { parseExpiry, parseStart } from '../rules/expiry.ts'
import { MAX_PIXELS } from '../rules/lengths.ts'
import { MAX_RULES, type Rule } from '../rules/rule.ts'
import type { LinkType } from './link-type.ts'

/** Creates the validation rules for links that an account creates or changes now. */
export function createFieldRules(scope: Scope<Context>, current: readonly Rule[] = []): FieldRules {
  const now = scope.clock()
  return {
    current,
    // Imported links may have more rules, which are not removed.
    maxRules: Math.max(MAX_RULES, current.length),
    readStart: parseStart,
    readMoment: (field, value) => parseExpiry(field, value, now),
    checkUrl: (field, url) => checkDestination(scope, field, url),
    checkPage: (type) => requireOwnPage(scope, type),
    hashPassword: (password) => scope.linkPasswords.hash(scope.accountId, password),
  }
}

async function requireOwnPage(
  scope: AccountScope,
  { splashId, overlayId }: LinkType,
): Promise<void> {
  if (splashId !== null && !(await ownsPage(scope, 'splash_pages', splashId))) {
    throw invalid('type', 'unknown_splash')
  }
  if (overlayId !== null && !(await ownsPage(scope, 'overlays', overlayId))) {
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
  const [validPixels, validAlias, validTags] = checkAll(
    () => requireFewPixels(pixels ?? []),
    () => (alias ? parseAlias('alias', extractAlias(alias, site)) : undefined),
    () => parseTags('tags', tags ?? []),
  )
  return {
    alias: validAlias,
    ...(pixels !== undefined && { pixels: validPixels }),
    ...(tags !== undefined && { tags: validTags }),
  }
}

function requireFewPixels(pixels: readonly number[]): readonly number[] {
  if (pixels.length > MAX_PIXELS) throw invalid('pixels', 'at_most_entries', { max: MAX_PIXELS })
  return pixels
}

/** Returns whether the account owns a splash page or overlay. */
async function ownsPage(
  scope: AccountScope,
  table: 'splash_pages' | 'overlays',
  id: number,
): Promise<boolean> {
  const row = await own(scope)
    .selectFrom(table)
    .select('id')
    .where('id', '=', id)
    .executeTakeFirst()
  return row !== undefined
}
