import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { unscoped } from '../../db/account-rows.ts'
import { idArray } from '../../db/arrays.ts'
import type { Db } from '../../db/pool.ts'
import type { Tx } from '../../db/transaction.ts'
import { AppError, invalid, withField } from '../../errors.ts'
import { loadSharp } from '../../pictures/load-sharp.ts'
import type { LogoDecoder } from '../../pictures/logo-process.ts'
import type { AccountScope } from '../../scope.ts'

/** The maximum size of an uploaded image. */
export const MAX_SHARE_IMAGE_BYTES = 2_097_152

/** Wide enough for the largest previews, which are 1200 by 630 pixels. */
const SIDE = 1200

const MAX_STORED_BYTES = 1_048_576

/** The maximum number of images of earlier versions stored per link. */
const MAX_IMAGES_PER_LINK = 5

/** SQL: the hash of the uploaded image that the preview of link `l` refers to, as in the index. */
const REFERENCED_HASH = sql`
  substring(l.meta_image from '^https?://[^/]+/static/([0-9a-f]{32})[.]jpg$')`

/**
 * Stores an image of a link. If the link has too many, deletes the oldest ones that no preview
 * refers to.
 */
export async function insertShareImage(
  db: Db,
  linkId: number,
  hash: string,
  image: Buffer,
): Promise<void> {
  await sql`
    insert into link_images (link_id, hash, image, account_id)
    select id, ${hash}, ${image}, account_id from links where id = ${linkId}
    on conflict (link_id, hash) do update set created_at = now()`.execute(db)
  await sql`
    delete from link_images where link_id = ${linkId} and hash not in (
      select hash from link_images where link_id = ${linkId} order by created_at desc limit ${MAX_IMAGES_PER_LINK}
    ) and not exists (
      select from links l join links own on own.account_id = l.account_id
      where own.id = ${linkId} and ${REFERENCED_HASH} = link_images.hash
    )`.execute(db)
}

/** Copies an image with this hash from another link of the account, if there is one. */
export async function copyShareImage(
  scope: AccountScope,
  linkId: number,
  hash: string,
): Promise<void> {
  await sql`
    insert into link_images (link_id, hash, image, account_id)
    select ${linkId}, i.hash, i.image, l.account_id
    from link_images i join links l on l.id = i.link_id
    where i.hash = ${hash} and l.account_id = ${scope.accountId}
    limit 1
    on conflict do nothing`.execute(unscoped(scope))
}

/**
 * Moves the images of links that are about to be deleted to other links of the account whose
 * previews refer to them.
 */
export async function transferShareImages(tx: Tx, linkIds: readonly number[]): Promise<void> {
  const removed = sql`(${idArray(linkIds)}::bigint[])`
  const { rows } = await sql<{ hash: string; link_id: number; account_id: number }>`
    select distinct on (hash) hash, link_id, links.account_id
    from link_images join links on links.id = link_id
    where link_id = any ${removed}
    order by hash, link_id`.execute(tx)
  for (const { hash, link_id, account_id } of rows) {
    await sql`
      update link_images i set link_id = heir.id
      from (
        select l.id from links l
        where ${REFERENCED_HASH} = ${hash} and l.account_id = ${account_id} and l.id <> all ${removed}
        limit 1
      ) heir
      where i.hash = ${hash} and i.link_id = ${link_id} and not exists (
        select from link_images other
        where other.hash = ${hash} and other.link_id <> all ${removed}
      )`.execute(tx)
  }
}

/**
 * Returns the image with a hash if it belongs to a link, or if a preview of the same account refers
 * to it. Ignores links that are deleted or disabled by an admin, and links of suspended accounts.
 */
export async function findShareImage(db: Db, hash: string): Promise<Buffer | undefined> {
  const { rows } = await sql<{ image: Buffer }>`
    select i.image
    from link_images i
    join links own on own.id = i.link_id
    join accounts on accounts.id = own.account_id
    where i.hash = ${hash} and accounts.suspended_at is null
      and (own.kind <> 'deleted' and own.blocked_at is null or exists (
        select from links l
        where ${REFERENCED_HASH} = i.hash and l.account_id = own.account_id
          and l.kind <> 'deleted' and l.blocked_at is null))
    limit 1`.execute(db)
  return rows[0]?.image
}

/** Returns the path of an uploaded image, on the service's own host and on branded domains. */
export function getShareImagePath(hash: string): string {
  return `/static/${hash}.jpg`
}

/** Returns the hash in the URL of an uploaded image, or undefined for other URLs. */
export function parseShareImageHash(url: string | null | undefined): string | undefined {
  return /^https?:\/\/[^/]+\/static\/([0-9a-f]{32})\.jpg$/.exec(url ?? '')?.[1]
}

/**
 * Returns a hash that is unique to the account, so that an image is deleted with the account's
 * links.
 */
export function hashShareImage(accountId: number, image: Buffer): string {
  return createHash('sha256').update(`${accountId} `).update(image).digest('hex').slice(0, 32)
}

/**
 * Creates the function that converts an uploaded image to the JPEG that is stored, a format that
 * every preview service supports. The image is decoded in a separate process, like a logo.
 *
 * The function throws AppError `busy`, or `invalid_input` naming `metaImageFile`.
 */
export function createShareImageReader({ decoder }: { decoder: Pick<LogoDecoder, 'decode'> }) {
  return async function readShareImage(account: number, bytes: Buffer): Promise<Buffer> {
    if (bytes.length > MAX_SHARE_IMAGE_BYTES)
      throw invalid('metaImageFile', 'at_most_mib', { max: 2 })
    try {
      const png = await decoder.decode(account, bytes, SIDE)
      const sharp = await loadSharp()
      const image = await sharp(png, { limitInputPixels: SIDE * SIDE })
        .flatten({ background: '#ffffff' })
        .jpeg({ quality: 82 })
        .toBuffer()
      if (image.length <= MAX_STORED_BYTES) return image
    } catch (error) {
      const isAboutLogo = error instanceof AppError && error.field === 'logo'
      throw isAboutLogo ? withField(error, 'metaImageFile') : error
    }
    throw invalid('metaImageFile', 'image_too_detailed')
  }
}
