const DAY = 86_400_000

/** The month in which a moment lies (UTC), counted from the year 0. */
export function monthOf(at: number): number {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The first month of which raw clicks are still kept. */
export function oldestMonth(now: Date, retentionDays: number): number {
  return monthOf(now.getTime() - retentionDays * DAY)
}

/** When a month begins. */
export function startOfMonth(month: number): number {
  return Date.UTC(Math.floor(month / 12), month % 12, 1)
}

/** The first day of a month, such as `2026-01-01`. */
export function firstDay(month: number): string {
  return new Date(startOfMonth(month)).toISOString().slice(0, 10)
}

/** The table that has the raw clicks of a month, such as `clicks_2026_01`. */
export function nameOf(month: number): string {
  const name = new Date(startOfMonth(month)).toISOString().slice(0, 7).replace('-', '_')
  return `clicks_${name}`
}

/** The month of such a table. */
export function monthOfName(name: string): number {
  return Number(name.slice(7, 11)) * 12 + Number(name.slice(12)) - 1
}
