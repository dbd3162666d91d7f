import { sql } from 'kysely'
import type { Context } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import { checkAll, invalid } from '../errors.ts'
import { MAX_PARAMETER_VALUE } from '../links/rules/lengths.ts'
import type { AccountScope } from '../scope.ts'
import { normalizeOptionalText, requireText } from '../text.ts'

/** The parameters that analytics programs read, in the order in which the form shows them. */
export const UTM_NAMES = [
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
] as const

type UtmName = (typeof UTM_NAMES)[number]

type UtmValues = Partial<Record<UtmName, string>>

/** UTM parameters with a name, to be used for other links of the account. */
type UtmTemplate = { id: number; name: string; values: UtmValues }

type Parameter = { name: string; value: string }

const MAX_TEMPLATES = 100
const MAX_NAME = 100

/**
 * Saves UTM parameters as a template, replacing any template with the same name. Returns its id.
 *
 * @throws AppError `invalid_input` naming `utm-name` or the parameter, `storage_full`
 */
export async function saveUtmTemplate(
  scope: AccountScope & Pick<Context, 'storage'>,
  { name, values }: { name: string; values: UtmValues },
): Promise<number> {
  const [validValues, validName] = checkAll(
    () => readValues(values),
    () => requireText('utm-name', name, MAX_NAME),
  )
  await scope.storage.require(scope)
  const template = { name: validName, values: validValues }
  const id = await storeTemplate(scope, template, MAX_TEMPLATES)
  if (id === undefined) {
    throw invalid('utm-name', 'templates_full', { max: MAX_TEMPLATES })
  }
  return id
}

function readValues(values: UtmValues): UtmValues {
  const valid = checkAll(
    ...UTM_NAMES.map((name) => () => [
      name,
      normalizeOptionalText(name, values[name], MAX_PARAMETER_VALUE),
    ]),
  )
  const set = valid.filter(([, value]) => value !== null)
  if (set.length === 0) throw invalid('utm_source', 'utm_value_needed')
  return Object.fromEntries(set)
}

export async function listUtmTemplates(scope: AccountScope): Promise<UtmTemplate[]> {
  const rows = await own(scope)
    .selectFrom('utm_templates')
    .select(['id', 'name', 'values'])
    .orderBy(sql`name collate "C"`)
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, values }) => ({ id, name, values: values as UtmValues }))
}

/**
 * Stores a template, replacing any template with the same name. Returns its id, or undefined if the
 * account would have more than `max` templates.
 */
async function storeTemplate(
  scope: AccountScope,
  { name, values }: Omit<UtmTemplate, 'id'>,
  max: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into utm_templates (account_id, name, values)
    select ${scope.accountId}, ${name}, ${JSON.stringify(values)}::jsonb
    where exists (select from utm_templates where account_id = ${scope.accountId} and name = ${name})
      or (select count(*) from utm_templates where account_id = ${scope.accountId}) < ${max}
    on conflict (account_id, name) do update set values = excluded.values
    returning id`.execute(unscoped(scope))
  return rows[0]?.id
}

export async function deleteUtmTemplate(scope: AccountScope, id: number): Promise<void> {
  await own(scope).deleteFrom('utm_templates').where('id', '=', id).execute()
}

/** Separates the UTM parameters, each with a value and at its first place, from the others. */
export function splitUtm(parameters: readonly Parameter[]) {
  const utm: UtmValues = {}
  const others = parameters.filter(({ name, value }) => {
    const utmName = UTM_NAMES.find((each) => each === name)
    if (!utmName || utmName in utm || value.trim() === '') return true
    utm[utmName] = value
    return false
  })
  return { utm, others }
}

/** Returns the UTM parameters among values by name, without empty ones. */
export function listUtm(values: Readonly<Record<string, string>>): Parameter[] {
  return UTM_NAMES.map((name) => ({ name, value: values[name]?.trim() ?? '' })).filter(
    ({ value }) => value !== '',
  )
}
