import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { MAX_PARAMETER_VALUE } from '../links/rules/lengths.ts'
import { normalizeOptionalText, requireText } from '../text.ts'
import { UTM_NAMES, type UtmTemplate, type UtmValues } from './utm.ts'
import * as queries from './utm-template.queries.ts'

const MAX_TEMPLATES = 100
const MAX_NAME = 100

/** Returns the templates of an account by name. */
export function listUtmTemplates(db: Db, accountId: number): Promise<UtmTemplate[]> {
  return queries.listTemplates(db, accountId)
}

/**
 * Saves UTM parameters as a template, replacing any template with the same name. Returns its id.
 *
 * @throws AppError `invalid_input` naming `utm-name` or the parameter, `storage_full`
 */
export async function saveUtmTemplate(
  ctx: Pick<Context, 'storage'>,
  db: Db,
  accountId: number,
  { name, values }: { name: string; values: UtmValues },
): Promise<number> {
  const validValues = UTM_NAMES.flatMap((each) => {
    const value = normalizeOptionalText(each, values[each], MAX_PARAMETER_VALUE)
    return value === null ? [] : [[each, value]]
  })
  if (validValues.length === 0) throw invalid('utm_source', 'utm_value_needed')
  const template = {
    name: requireText('utm-name', name, MAX_NAME),
    values: Object.fromEntries(validValues) as UtmValues,
  }
  await ctx.storage.require(db, accountId)
  const id = await queries.storeTemplate(db, accountId, template, MAX_TEMPLATES)
  if (id === undefined) {
    throw invalid('utm-name', 'templates_full', { max: MAX_TEMPLATES })
  }
  return id
}

/** Deletes a template. Does nothing if the account has no such template. */
export function deleteUtmTemplate(db: Db, accountId: number, id: number): Promise<void> {
  return queries.deleteTemplate(db, accountId, id)
}
