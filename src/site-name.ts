export const DEFAULT_SITE_NAME = 'Brevis'

/** Parses the name of an installation. @throws Error with a message that follows the setting's name */
export function readSiteName(value: string): string {
  const name = value.trim()
  if (name.length <= 60 && !/\p{C}/u.test(name)) return name
  throw new Error('must have at most 60 characters, on one line')
}

/** Returns the name that the operator chose for an installation, or undefined for the default. */
export function findChosenName({ siteName }: { siteName: string }): string | undefined {
  return siteName === DEFAULT_SITE_NAME ? undefined : siteName
}

/** Returns the name of an installation in emails: its host, unless the operator chose a name. */
export function nameInMails(config: { siteName: string; baseUrl: string }): string {
  return findChosenName(config) ?? new URL(config.baseUrl).host
}
