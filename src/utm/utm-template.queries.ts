import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import type { UtmTemplate, UtmValues } from './utm.ts'

export async function listTemplates(db: Db, accountId: number): Promise<UtmTemplate[]> {
  const rows = await db
    .selectFrom('utm_templates')
    .select(['id', 'name', 'values'])
    .where('account_id', '=', accountId)
    .orderBy(sql`name collate "C"`)
    .orderBy('id')
    .execute()
  return rows.map(({ id, name, values }) => ({ id, name, values: values as UtmValues }))
}

/**
 * Stores a template, replacing any template with the same name. Returns its id, or undefined if the
 * account would have more than `max` templates.
 */
export async function storeTemplate(
  db: Db,
  accountId: number,
  { name, values }: Omit<UtmTemplate, 'id'>,
  max: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into utm_templates (account_id, name, values)
    select ${accountId}, ${name}, ${JSON.stringify(values)}::jsonb
    where exists (select from utm_templates where account_id = ${accountId} and name = ${name})
      or (select count(*) from utm_templates where account_id = ${accountId}) < ${max}
    on conflict (account_id, name) do update set values = excluded.values
    returning id`.execute(db)
  return rows[0]?.id
}

export async function deleteTemplate(db: Db, accountId: number, id: number): Promise<void> {
  await db
    .deleteFrom('utm_templates')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute()
}
