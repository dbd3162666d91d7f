import { invalid } from '../../errors.ts'
import { formatDay, listSteps, type Period } from './period.ts'

export const UTC = 'UTC'

/** A step of a period in a time zone, in milliseconds since 1970. `until` is exclusive. */
export type ZonedStep = { start: string; from: number; until: number }

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
/** All current UTC offsets, and all changes of them, are multiples of 15 minutes. */
const QUARTER_HOUR_MS = 900_000
/** The maximum distance between the start of a local day and the start of the same day in UTC. */
const MAX_OFFSET_MS = 26 * HOUR_MS
/** The maximum number of cached formatters. */
const MAX_ZONES = 100

/**
 * Validates the name of a time zone. Defaults to UTC.
 *
 * @throws AppError `invalid_input` naming `tz`
 */
export function readZone(name: string | undefined): string {
  if (!name) return UTC
  try {
    // Node.js also accepts offsets such as +01:00, which are not names.
    if (/^[A-Za-z]/.test(name)) {
      getFormatter(name)
      return name
    }
  } catch {
    // The runtime does not know the zone.
  }
  throw invalid('tz', 'time_zone_iana')
}

/** Returns the local time of a moment, represented as if it were UTC. */
export function toLocalTime(zone: string, at: number): number {
  return zone === UTC ? at : at + getOffset(zone, at)
}

/** Returns the moment when a local day (since 1970) starts. */
export function startOfDay(zone: string, day: number): number {
  if (zone === UTC) return day * DAY_MS
  const midnight = day * DAY_MS
  const guess = midnight - getOffset(zone, midnight - getOffset(zone, midnight))
  if (toLocalDay(zone, guess) === day && toLocalDay(zone, guess - 1) < day) return guess
  // If clocks are set forward at midnight, the day starts later. At the date line, a day may be
  // skipped.
  let before = midnight - MAX_OFFSET_MS
  let after = midnight + MAX_OFFSET_MS
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (toLocalDay(zone, middle) < day) before = middle
    else after = middle
  }
  return after
}

/** Returns all steps of a period in order. */
export function listZonedSteps(period: Period, zone: string): ZonedStep[] {
  if (period.interval === 'hour') return listHourSteps(period, zone)
  const days = listSteps(period).map(({ start, from }) => ({ start, day: from / 24 }))
  const starts = [...days.map(({ day }) => day), period.to + 1].map((day) => startOfDay(zone, day))
  return days.map(({ start }, index) => ({
    start,
    from: starts[index] as number,
    until: starts[index + 1] as number,
  }))
}

/**
 * Returns the hours of a period as steps. A repeated hour is one step of two hours, and a skipped
 * hour has no step.
 */
function listHourSteps({ from, to }: Period, zone: string): ZonedStep[] {
  const steps: ZonedStep[] = []
  const end = startOfDay(zone, to + 1)
  for (let at = startOfDay(zone, from); at < end; at += QUARTER_HOUR_MS) {
    const local = toLocalTime(zone, at)
    const hour = String(Math.floor((local % DAY_MS) / HOUR_MS)).padStart(2, '0')
    const start = `${formatDay(Math.floor(local / DAY_MS))} ${hour}:00:00`
    const last = steps.at(-1)
    const until = Math.min(at + QUARTER_HOUR_MS, end)
    if (last?.start === start) last.until = until
    else steps.push({ start, from: at, until })
  }
  return steps
}

function toLocalDay(zone: string, at: number): number {
  return Math.floor((at + getOffset(zone, at)) / DAY_MS)
}

/** Returns the zone's offset from UTC in milliseconds. */
function getOffset(zone: string, at: number): number {
  const text = getFormatter(zone).format(at)
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? []
  if (!sign) return 0
  const offset = Number(hours) * HOUR_MS + Number(minutes) * 60_000 + Number(seconds) * 1000
  return sign === '-' ? -offset : offset
}

const formatters = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns a formatter for a zone. Formatters are cached, because creating one takes about 50 µs and
 * using it 1 µs.
 */
function getFormatter(zone: string): Intl.DateTimeFormat {
  const cached = formatters.get(zone)
  if (cached) return cached
  const formatter = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    timeZoneName: 'longOffset',
    year: 'numeric',
  })
  // Names are case-insensitive, so a zone may have several entries.
  if (formatters.size >= MAX_ZONES) formatters.clear()
  formatters.set(zone, formatter)
  return formatter
}
