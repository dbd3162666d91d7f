const DAY_MS = 86_400_000

/** Returns the month of a moment (UTC), in months since year 0. */
export function monthOf(at: number): number {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Returns the first month whose raw clicks are not deleted. */
export function oldestMonth(now: Date, retentionDays: number): number {
  return monthOf(now.getTime() - retentionDays * DAY_MS)
}

/** Returns the start of a month, in milliseconds since 1970. */
export function startOfMonth(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1)
}

/** Returns the first day of a month, such as `2026-01-01`. */
export function firstDay(month: number): string {
  return new Date(startOfMonth(month)).toISOString().slice(0, 10)
}

/** Returns the name of the partition for a month, such as `clicks_2026_01`. */
export function partitionName(month: number): string {
  const name = new Date(startOfMonth(month)).toISOString().slice(0, 7).replace('-', '_')
  return `clicks_${name}`
}

/** Returns the month of the partition with this name, such as `clicks_2026_01`. */
export function partitionMonth(name: string): number {
  return Number(name.slice(7, 11)) * 12 + Number(name.slice(12)) - 1
}
