import type { Context } from '../../context.ts'
import { unscoped } from '../../db/account-rows.ts'
import type { AccountScope, Scope } from '../../scope.ts'
import { findNamedDomain } from '../short-link.ts'
import {
  copyShareImage,
  getShareImagePath,
  hashShareImage,
  insertShareImage,
  parseShareImageHash,
} from './share-images.ts'

/** An image from `readShareImage`, and the URL at which the host of its link will serve it. */
export type ShareImage = { image: Buffer; hash: string; url: string }

/**
 * Returns an image with the URL at which it will be served. @throws AppError `invalid_input` naming
 * `domain`
 */
export async function prepareShareImage(
  scope: Scope<Context>,
  image: Buffer,
  domain: string | null,
): Promise<ShareImage> {
  const branded = await findNamedDomain(scope, domain)
  const hash = hashShareImage(scope.accountId, image)
  return {
    image,
    hash,
    url: `${branded?.origin ?? scope.config.baseUrl}${getShareImagePath(hash)}`,
  }
}

/**
 * Stores the image of a link. Without an upload, copies the image that `url` refers to if another
 * link of the account has it, for example after a link was duplicated.
 */
export async function storeShareImage(
  scope: AccountScope,
  linkId: number,
  { upload, url }: { upload: ShareImage | undefined; url: string | null | undefined },
): Promise<void> {
  if (upload) return insertShareImage(unscoped(scope), linkId, upload.hash, upload.image)
  const hash = parseShareImageHash(url)
  if (hash !== undefined) await copyShareImage(scope, linkId, hash)
}
