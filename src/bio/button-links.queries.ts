import type { Tx } from '../db/transaction.ts'
import { insertLinks } from '../links/insert-links.queries.ts'
import { randomAlias } from '../links/rules/alias.ts'

/** The link of a button. It is always on the service's own host. */
export type ButtonLink = { linkId: number; alias: string }

/** Two random aliases collide about once in 10^12 attempts. */
const MAX_ATTEMPTS = 5

/** Creates a link for each URL. Returns the links in the order of the URLs. */
export async function insertButtonLinks(
  tx: Tx,
  accountId: number,
  urls: readonly string[],
): Promise<ButtonLink[]> {
  const links: (ButtonLink | undefined)[] = urls.map(() => undefined)
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    const missing = [...links.keys()].filter((index) => !links[index])
    if (missing.length === 0) break
    const rows = missing.map((index) => ({
      account_id: accountId,
      kind: 'bio' as const,
      alias: randomAlias(),
      url: urls[index] ?? '',
    }))
    const inserted = await insertLinks(tx, rows)
    for (const [at, index] of missing.entries()) {
      const link = inserted[at]
      if (link) links[index] = { linkId: link.id, alias: rows[at]?.alias ?? '' }
    }
  }
  return links.map((link) => {
    if (!link) throw new Error(`no free alias in ${MAX_ATTEMPTS} attempts`)
    return link
  })
}

/** Changes the destination of a button. */
export async function retargetButtonLink(tx: Tx, id: number, url: string): Promise<void> {
  await tx.updateTable('links').set({ url }).where('id', '=', id).execute()
}
