import type { Page, PageQuery } from '../db/pagination.ts'

/** The option of all commands that work within one account. */
export const OWNER = { account: 'the email of the account' }

const AT_ONCE = 1000

/** Returns all entries of a paged list. */
export async function allPages<Entry>(
  list: (page: PageQuery) => Promise<Page<Entry>>,
): Promise<Entry[]> {
  const all: Entry[] = []
  while (true) {
    const { entries } = await list({ limit: AT_ONCE, offset: all.length })
    all.push(...entries)
    if (entries.length < AT_ONCE) return all
  }
}
