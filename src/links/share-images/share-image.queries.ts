import { sql } from 'kysely'
import type { Db } from '../../db/pool.ts'

/** How many images of earlier versions a link keeps. */
const MAX_KEPT = 5

/** Stores an image of a link, and deletes the oldest of many. */
export async function insertShareImage(
  db: Db,
  linkId: number,
  hash: string,
  image: Buffer,
): Promise<void> {
  await sql`
    insert into link_images (link_id, hash, image) values (${linkId}, ${hash}, ${image})
    on conflict (link_id, hash) do update set created_at = now()`.execute(db)
  await sql`
    delete from link_images where link_id = ${linkId} and hash not in (
      select hash from link_images where link_id = ${linkId} order by created_at desc limit ${MAX_KEPT}
    )`.execute(db)
}

/** Gives a link the image of another link of its account, if there is one with this hash. */
export async function copyShareImage(
  db: Db,
  accountId: number,
  linkId: number,
  hash: string,
): Promise<void> {
  await sql`
    insert into link_images (link_id, hash, image)
    select ${linkId}, i.hash, i.image
    from link_images i join links l on l.id = i.link_id
    where i.hash = ${hash} and l.account_id = ${accountId}
    limit 1
    on conflict do nothing`.execute(db)
}

/**
 * Returns the image with a hash, of a link that is neither deleted nor disabled by an admin, and
 * whose account is not suspended.
 */
export async function findShareImage(db: Db, hash: string): Promise<Buffer | undefined> {
  const row = await db
    .selectFrom('link_images')
    .innerJoin('links', 'links.id', 'link_images.link_id')
    .innerJoin('accounts', 'accounts.id', 'links.account_id')
    .select('link_images.image')
    .where('link_images.hash', '=', hash)
    .where('links.kind', '<>', 'deleted')
    .where('links.blocked_at', 'is', null)
    .where('accounts.suspended_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  return row?.image
}
