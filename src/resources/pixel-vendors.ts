import { readFileSync } from 'node:fs'
import { toFollowableHref } from '../urls/destination-url.ts'

export type PixelVendors = {
  /** Returns the URLs that a link's pixels request. */
  listPixelUrls: (pixels: readonly { type: string; tag: string }[]) => string[]
  /** Returns the display name of a pixel type. Defaults to the type itself. */
  getName: (type: string) => string
}

type Vendor = { name: string; url: string }

/**
 * Reads the URL and the name of each pixel type from the operator's JSON file. The file maps a type
 * to a URL that contains `{tag}`, or to an object with `name` and `url`. Types without a URL
 * request nothing. `file` may also be the JSON itself.
 *
 * @throws Error naming the file if it cannot be read, or if a URL or a name in it is invalid
 */
export function createPixelVendors(file: string | undefined): PixelVendors {
  const vendors = file === undefined ? new Map<string, Vendor>() : readVendors(file)
  return {
    listPixelUrls: (pixels) =>
      pixels.flatMap(({ type, tag }) => {
        const url = vendors.get(type)?.url
        return url === undefined ? [] : url.replaceAll('{tag}', encodeURIComponent(tag))
      }),
    getName: (type) => vendors.get(type)?.name ?? type,
  }
}

function readVendors(file: string): Map<string, Vendor> {
  let parsed: unknown
  try {
    parsed = JSON.parse(file.startsWith('{') ? file : readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(
      `PIXELS_FILE ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  const entries = Object.entries((parsed ?? {}) as Record<string, unknown>)
  return new Map(entries.map(([type, value]) => [type, readVendor(file, type, value)]))
}

function readVendor(file: string, type: string, value: unknown): Vendor {
  const fields: Record<string, unknown> =
    typeof value === 'object' && value !== null ? { ...value } : { url: value }
  const { url, name = type } = fields
  const sample = typeof url === 'string' ? url.replaceAll('{tag}', 'x') : ''
  if (!toFollowableHref(sample)) throw new Error(`PIXELS_FILE ${file}: ${type} is not a URL`)
  if (typeof name !== 'string' || name.trim() === '' || name.length > 100) {
    throw new Error(`PIXELS_FILE ${file}: the name of ${type} must be 1 to 100 characters`)
  }
  return { name: name.trim(), url: String(url) }
}
