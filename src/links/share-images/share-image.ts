import { createHash } from 'node:crypto'

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
