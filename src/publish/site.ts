import { appendFile } from 'node:fs/promises'

/** The number of characters to buffer before writing. */
const BUFFER_LENGTH = 64 * 1024

export type TextFile = ReturnType<typeof createTextFile>

/** A host to publish. */
export type Site = {
  /** The id of a branded domain, or 0 for the service's own host. */
  id: number
  /** The scheme, host and port with which its short URLs start. */
  origin: string
  /** The origins of all names of the host, including `origin`. */
  origins: readonly string[]
  /** The destination of `/`. */
  root: string | undefined
  /** The destination of unknown aliases. */
  notFound: string | undefined
}

/** Writes the links of one site in one format. */
export type SiteWriter = {
  /**
   * Adds a link. Links must be added in the order of their aliases in ASCII lowercase, compared
   * byte by byte.
   */
  add(alias: string, destination: string): Promise<void>
  end(): Promise<void>
}

/** Starts the file of a site in `folder`, which only contains that site. */
export type StartSite = (folder: string, site: Site) => Promise<SiteWriter>

/**
 * Returns a folder name for the site that is valid on every file system. For example, `[::1]:3000`
 * becomes `++1+3000`.
 */
export function toFolderName({ origin }: Site): string {
  return new URL(origin).host.replaceAll(/[[\]]/g, '').replaceAll(':', '+')
}

/**
 * Creates a file that is written in large pieces, and is open only during writes. `end` syncs it to
 * disk.
 */
export function createTextFile(path: string) {
  let buffer = ''
  return {
    async write(text: string): Promise<void> {
      buffer += text
      if (buffer.length < BUFFER_LENGTH) return
      const piece = buffer
      buffer = ''
      await appendFile(path, piece)
    },
    end: (text = ''): Promise<void> => appendFile(path, buffer + text, { flush: true }),
  }
}
