import { formatCount } from '../shell/format-count.ts'

const UNKNOWN = 'Unknown'
const UNITS = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB']

/** Formats a number of bytes in a suitable unit. */
export function bytesText(bytes: number): string {
  if (!Number.isFinite(bytes)) return UNKNOWN
  if (bytes < 1024) return bytes === 1 ? '1 byte' : `${Math.round(bytes)} bytes`
  const power = Math.min(UNITS.length, Math.floor(Math.log2(bytes) / 10))
  const amount = bytes / 1024 ** power
  return `${amount.toFixed(amount < 10 ? 1 : 0)} ${UNITS[power - 1]}`
}

/** Formats a duration in its two largest units, from milliseconds to days. */
export function durationText(seconds: number): string {
  if (!Number.isFinite(seconds)) return UNKNOWN
  if (seconds < 1) return `${Math.round(seconds * 1000)} ms`
  const whole = Math.floor(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  if (whole < 86_400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
  const [days, hours] = [Math.floor(whole / 86_400), Math.floor((whole % 86_400) / 3600)]
  return `${days === 1 ? '1 day' : `${formatCount(days)} days`} ${hours} h`
}

export function countText(count: number): string {
  return Number.isFinite(count) ? formatCount(count) : UNKNOWN
}

/** Formats the hit rate of a cache. */
export function rateText({ hits, misses }: { hits: number; misses: number }): string {
  const lookups = hits + misses
  if (lookups === 0) return 'No lookups yet'
  return `${((100 * hits) / lookups).toFixed(1)}% (${formatCount(lookups)} lookups)`
}
