import type { Page, PageQuery } from '../db/pagination.ts'

/** The option of all commands that only affect one account. */
export const OWNER = { account: 'the email of the account' }

const BATCH_SIZE = 1000

/** Returns all entries of a paged list. */
export async function readAllPages<Entry>(
  list: (page: PageQuery) => Promise<Page<Entry>>,
): Promise<Entry[]> {
  const all: Entry[] = []
  while (true) {
    const { entries } = await list({ limit: BATCH_SIZE, offset: all.length })
    all.push(...entries)
    if (entries.length < BATCH_SIZE) return all
  }
}
