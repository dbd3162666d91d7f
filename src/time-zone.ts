/**
 * Returns the canonical spelling of a time zone's name, or undefined if there is no such zone.
 * Offsets such as `+02:00` are not names, because they lack daylight saving time.
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
export function timeZones(): string[] {
  return [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])].sort()
}
