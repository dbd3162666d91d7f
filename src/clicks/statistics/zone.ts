import { invalid } from '../../errors.ts'
import { formatDay, type Period, stepsOf } from './period.ts'

export const UTC = 'UTC'

/** A step of a period in a time zone, in milliseconds since 1970; `until` is not part of it. */
export type ZonedStep = { start: string; from: number; until: number }

const DAY = 86_400_000
const HOUR = 3_600_000
/** All zones of today change their offset, and differ from UTC, by a multiple of it. */
const QUARTER = 900_000
/** No local day begins farther from its day in UTC. */
const FARTHEST = 26 * HOUR
const MOST_ZONES = 100

/**
 * Reads the name of a time zone; UTC without one.
 *
 * @throws AppError `invalid_input` naming `tz`
 */
export function readZone(name: string | undefined): string {
  if (!name) return UTC
  try {
    // Offsets such as +01:00 are accepted as well, but they are not names.
    if (/^[A-Za-z]/.test(name)) return formatOf(name) && name
  } catch {
    // Thrown below.
  }
  throw invalid('tz', 'must be an IANA time zone, such as Europe/Berlin')
}

/** Returns the local time of a moment, as if it were UTC. */
export function localTime(zone: string, at: number): number {
  return zone === UTC ? at : at + offsetAt(zone, at)
}

/** Returns the moment when a local day, counted from 1970, begins. */
export function startOfDay(zone: string, day: number): number {
  if (zone === UTC) return day * DAY
  const midnight = day * DAY
  const guess = midnight - offsetAt(zone, midnight - offsetAt(zone, midnight))
  if (localDay(zone, guess) === day && localDay(zone, guess - 1) < day) return guess
  // A day may begin after midnight, where clocks are then moved ahead, or be skipped at the date line.
  let [before, after] = [midnight - FARTHEST, midnight + FARTHEST]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (localDay(zone, middle) < day) before = middle
    else after = middle
  }
  return after
}

/** Returns every step of a period in its order. */
export function zonedSteps(period: Period, zone: string): ZonedStep[] {
  if (period.interval === 'hour') return hourSteps(period, zone)
  const days = stepsOf(period).map(({ start, from }) => ({ start, day: from / 24 }))
  const starts = [...days.map(({ day }) => day), period.to + 1].map((day) => startOfDay(zone, day))
  return days.map(({ start }, index) => ({
    start,
    from: starts[index] as number,
    until: starts[index + 1] as number,
  }))
}

/** An hour that clocks go through twice is one step of two hours; one that they skip is none. */
function hourSteps({ from, to }: Period, zone: string): ZonedStep[] {
  const steps: ZonedStep[] = []
  const end = startOfDay(zone, to + 1)
  for (let at = startOfDay(zone, from); at < end; at += QUARTER) {
    const local = localTime(zone, at)
    const hour = String(Math.floor((local % DAY) / HOUR)).padStart(2, '0')
    const start = `${formatDay(Math.floor(local / DAY))} ${hour}:00:00`
    const last = steps.at(-1)
    const until = Math.min(at + QUARTER, end)
    if (last?.start === start) last.until = until
    else steps.push({ start, from: at, until })
  }
  return steps
}

function localDay(zone: string, at: number): number {
  return Math.floor((at + offsetAt(zone, at)) / DAY)
}

/** Returns how much clocks are ahead of UTC, in milliseconds. */
function offsetAt(zone: string, at: number): number {
  const text = formatOf(zone).format(at)
  const [, sign, hours = 0, minutes = 0, seconds = 0] =
    /GMT([+-])(\d+):(\d+)(?::(\d+))?$/.exec(text) ?? []
  if (!sign) return 0
  const ahead = Number(hours) * HOUR + Number(minutes) * 60_000 + Number(seconds) * 1000
  return sign === '-' ? -ahead : ahead
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Creating one takes some 50 µs, using it 1. */
function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en-US', {
    ...{ timeZone: zone, timeZoneName: 'longOffset', year: 'numeric' },
  })
  // Names are accepted in any case, so there may be many of one zone.
  if (formats.size >= MOST_ZONES) formats.clear()
  formats.set(zone, format)
  return format
}
