import { int8Array } from '../clicks/encoding/pg-binary.ts'
import type { Db } from '../db/pool.ts'
import { preparedText } from '../db/prepared.ts'
import { textArray } from '../db/text-array.ts'
import {
  COLUMN_NAMES,
  type LinkValues,
  parametersOf,
  storedColumns,
} from './insert-links.queries.ts'

const nextIds = preparedText<{ id: number }>(
  `select nextval('links_id_seq') as id from generate_series(1, $1::integer)`,
)

const insert = preparedText(`
insert into links (id, ${COLUMN_NAMES.join()}) overriding system value
select id, ${storedColumns(COLUMN_NAMES).join()}
from unnest($1::bigint[], ${parametersOf(COLUMN_NAMES, 2).join()}) given (id, ${COLUMN_NAMES.join()})
order by alias collate "C", domain_id, id`)

/** Numbers for so many links that are to be stored, ascending. */
export async function reserveIds(db: Db, count: number): Promise<number[]> {
  return count > 0 ? (await nextIds(db, [count])).map(({ id }) => id) : []
}

/**
 * Stores links under ids that were reserved for them, all or none: throws if an alias among them is
 * taken. That takes less time than asking of each, and the ids are known before the answer.
 */
export async function insertNewLinks(
  db: Db,
  links: readonly LinkValues[],
  ids: readonly number[],
): Promise<void> {
  const arrays = COLUMN_NAMES.map((name) => {
    const values = links.map((link) => link[name])
    // A list that is too short counts as filled up with nulls, so those of no column need not be.
    const isGiven = values.some((value) => value !== undefined && value !== null)
    return textArray(isGiven ? values : [])
  })
  await insert(db, [int8Array(ids), ...arrays])
}
