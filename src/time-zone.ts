/**
 * Returns the canonical name of a time zone, or undefined if there is no such zone. Offsets such as
 * `+02:00` do not count as names, because they have no daylight saving time.
 */
export function findTimeZone(name: string): string | undefined {
  if (!/^[A-Za-z][\w+/-]{0,63}$/.test(name)) return undefined
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone
  } catch {
    return undefined
  }
}

/** Returns the names of all time zones, sorted, including UTC. */
export function listTimeZones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].sort()
}
