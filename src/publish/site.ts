/** A host with its links, in the form in which it is published. */
export type Site = {
  /** The id of a branded domain, or 0 for the service's own host. */
  id: number
  /** Scheme, host and port: what its short URLs begin with. */
  origin: string
  /** The same for every name of the host, `origin` included. */
  origins: readonly string[]
  /** Destination of visits to `/`. */
  root: string | undefined
  /** Destination of visits to unknown aliases. */
  notFound: string | undefined
}

/** Writes the links of one site in one format. */
export type SiteWriter = {
  /** Adds a link. Links come sorted by their alias in ASCII lowercase, byte by byte. */
  add(alias: string, destination: string): Promise<void>
  end(): Promise<void>
}

/** Starts the file of a site in `folder`, which belongs to that site alone. */
export type Format = (folder: string, site: Site) => Promise<SiteWriter>

/** Returns a name for the site's folder, which works on every file system: `[::1]:3000` is `++1+3000`. */
export function folderName({ origin }: Site): string {
  return new URL(origin).host.replaceAll(/[[\]]/g, '').replaceAll(':', '+')
}
