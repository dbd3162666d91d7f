import { stringify } from 'csv-stringify/sync'
import { sql } from 'kysely'
import type { WebContext } from '../context.ts'
import { type AccountScope, unscoped } from '../db/account-rows.ts'
import type { Db } from '../db/pool.ts'
import { countRows } from '../db/row-counts.queries.ts'
import { removeUnstorable } from '../text.ts'
import { overlays } from './overlays.ts'

/** A visitor's response to an overlay's form. */
export type Answer = {
  id: number
  /** The visited link, or null if it has been deleted. */
  linkId: number | null
  answer: Record<string, string>
  createdAt: Date
}

/** The maximum number of responses per minute to the overlay of one link from one IP address. */
const ANSWERS_PER_MINUTE = 20
/** The number of responses that are read per query. */
const ANSWER_BATCH = 1000
/** The maximum number of fields of a stored response, and of UTF-16 units per name and value. */
const MAX_FIELDS = 10
const MAX_FIELD_LENGTH = 5000
/** The maximum bytes of an overlay's responses. Above it, the oldest tenth is deleted. */
const MAX_ANSWER_BYTES = 10 * 1_048_576
const OLD_ANSWERS_BATCH = 10_000

/**
 * Counts a visitor's response to a link's overlay. Returns the seconds to wait if there were too
 * many.
 */
export function countAnswer(
  { rateLimiter, hashAddress }: Pick<WebContext, 'rateLimiter' | 'hashAddress'>,
  linkId: number,
  address: string,
): Promise<number | undefined> {
  return rateLimiter.count(`answer:${linkId}:${hashAddress(address)}`, ANSWERS_PER_MINUTE)
}

/**
 * Stores a visitor's response. Truncates long texts, omits fields above the maximum number, and
 * removes characters that the database cannot store. Deletes the oldest responses if there are too
 * many, so that strangers can neither fill the disk nor close the form for others.
 */
export async function recordAnswer(
  db: Db,
  overlayId: number,
  linkId: number,
  answer: Readonly<Record<string, string>>,
): Promise<void> {
  await sql`
    insert into overlay_answers (overlay_id, link_id, answer, account_id)
    select id, ${linkId}::bigint, ${JSON.stringify(truncateAnswer(answer))}::jsonb, account_id
    from overlays where id = ${overlayId}`.execute(db)
  if ((await countRows(db, 'answer_bytes', overlayId)) <= MAX_ANSWER_BYTES) return
  await sql`
    delete from overlay_answers where overlay_id = ${overlayId} and id <= (
      select id from (
        select id, sum(150 + octet_length(answer::text)) over (order by id desc) as bytes
        from overlay_answers where overlay_id = ${overlayId}) as sized
      where bytes > ${0.9 * MAX_ANSWER_BYTES}
      order by id desc limit 1)`.execute(db)
}

/**
 * Deletes responses that are older than `days`, a batch at a time, since many may have come on the
 * same day.
 */
export async function deleteOldAnswers(db: Db, days: number): Promise<void> {
  await sql`
    delete from overlay_answers where id in (
      select id from overlay_answers
      where created_at < now() - ${days}::int * interval '1 day'
      order by created_at limit ${OLD_ANSWERS_BATCH})`.execute(db)
}

/** Returns the latest responses to an account's overlay, newest first. */
export function listLatestAnswers(
  scope: AccountScope,
  overlayId: number,
  limit: number,
): Promise<Answer[]> {
  return selectAnswers(scope, overlayId).orderBy('a.id', 'desc').limit(limit).execute()
}

/** Returns the votes per option of a poll, including removed options. */
export function countChoices(
  scope: AccountScope,
  overlayId: number,
): Promise<{ choice: string; count: number }[]> {
  const choice = sql<string>`coalesce(a.answer ->> 'choice', '')`
  return selectAnswers(scope, overlayId)
    .clearSelect()
    .select([choice.as('choice'), sql<number>`count(*)`.as('count')])
    .groupBy(choice)
    .execute()
}

/**
 * Yields all responses to an overlay, oldest first, reading them as they are consumed.
 *
 * @throws AppError `not_found`
 */
export async function* readAnswers(scope: AccountScope, overlayId: number): AsyncGenerator<Answer> {
  await overlays.get(scope, overlayId)
  let after = 0
  while (true) {
    const answers = await selectAnswers(scope, overlayId)
      .where('a.id', '>', after)
      .orderBy('a.id')
      .limit(ANSWER_BATCH)
      .execute()
    yield* answers
    if (answers.length < ANSWER_BATCH) return
    after = answers.at(-1)?.id ?? after
  }
}

/**
 * Returns a generator of all responses to an overlay as lines of CSV, oldest first.
 *
 * @throws AppError `not_found`
 */
export async function generateAnswersCsv(
  scope: AccountScope,
  overlayId: number,
  formatDate: (date: Date) => string,
): Promise<AsyncGenerator<string>> {
  // The names of all fields in the responses form the header, so they are read first.
  const fields = new Set<string>()
  for await (const { answer } of readAnswers(scope, overlayId)) {
    for (const name of Object.keys(answer)) fields.add(name)
  }
  return generateLines(readAnswers(scope, overlayId), [...fields], formatDate)
}

async function* generateLines(
  answers: AsyncIterable<Answer>,
  fields: readonly string[],
  formatDate: (date: Date) => string,
) {
  yield formatLine(['id', 'link', 'date', ...fields], { bom: true })
  for await (const { id, linkId, createdAt, answer } of answers) {
    yield formatLine([id, linkId, formatDate(createdAt), ...fields.map((name) => answer[name])])
  }
}

/**
 * Formats a line of CSV. Escapes visitors' texts that start with characters such as `=`, because a
 * spreadsheet would run them as formulas.
 */
function formatLine(cells: readonly unknown[], { bom = false } = {}): string {
  return stringify([[...cells]], { bom, escape_formulas: true })
}

function selectAnswers(scope: AccountScope, overlayId: number) {
  return unscoped(scope)
    .selectFrom('overlay_answers as a')
    .innerJoin('overlays as o', 'o.id', 'a.overlay_id')
    .select(['a.id', 'a.link_id as linkId', 'a.answer', 'a.created_at as createdAt'])
    .where('o.account_id', '=', scope.accountId)
    .where('a.overlay_id', '=', overlayId)
}

function truncateAnswer(answer: Readonly<Record<string, string>>): Record<string, string> {
  const clean = (text: string) => removeUnstorable(text.slice(0, MAX_FIELD_LENGTH))
  return Object.fromEntries(
    Object.entries(answer)
      .slice(0, MAX_FIELDS)
      .map(([name, value]) => [clean(name), clean(value)]),
  )
}
