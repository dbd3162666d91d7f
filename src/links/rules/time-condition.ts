import { memo } from '../../concurrency/memo.ts'
import { invalid } from '../../errors.ts'
import { findTimeZone } from '../../time-zone.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Day = (typeof DAYS)[number]

/** Hours of the week in a time zone. Without days it holds every day. */
export type TimeCondition = {
  days?: readonly Day[]
  /** `HH:MM`, inclusive. */
  from?: string
  /** `HH:MM`, exclusive. If it is not after `from`, the range ends on the next day. */
  until?: string
  zone: string
}

const DAY_START = '00:00'
/** Greater than any time of day. */
const END = '24:00'
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/

/**
 * Returns whether the condition holds at a moment. Hours after midnight belong to the previous
 * day's range.
 */
export function isWithinHours(
  { days = DAYS, from = DAY_START, until = END, zone }: TimeCondition,
  moment: Date,
): boolean {
  const { day, time } = localTime(zone, moment)
  const isOn = (index: number) => days.includes(DAYS[index % 7] as Day)
  if (from < until) return isOn(day) && from <= time && time < until
  return time >= from ? isOn(day) : time < until && isOn(day + 6)
}

/** Reads a time condition. Throws AppError `invalid_input` naming the invalid part of `field`. */
export function readTime(field: string, given: unknown): TimeCondition {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    throw invalid(field, 'must be an object with days, from, until, or zone')
  }
  const { days, from, until, zone, ...others } = given as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`${field}.${unknown.slice(0, 64)}`, 'is not known')
  const time = {
    ...(days != null && { days: readDays(`${field}.days`, days) }),
    ...(from != null && { from: readClock(`${field}.from`, from) }),
    ...(until != null && { until: readClock(`${field}.until`, until) }),
    zone: readZone(`${field}.zone`, zone ?? 'UTC'),
  }
  if (!time.days && !time.from && !time.until)
    throw invalid(field, 'must have days, from, or until')
  if ((time.from ?? DAY_START) === (time.until ?? END)) {
    throw invalid(`${field}.until`, 'must differ from from')
  }
  return time
}

function readDays(field: string, given: unknown): Day[] {
  if (!Array.isArray(given) || given.length === 0 || given.length > DAYS.length) {
    throw invalid(field, `must be a list of 1 to ${DAYS.length} days`)
  }
  const found = given.map((name, index) => {
    const day = DAYS.find((each) => each === String(name).slice(0, 64).toLowerCase())
    if (!day) throw invalid(`${field}[${index}]`, `must be one of ${DAYS.join(', ')}`)
    return day
  })
  return DAYS.filter((day) => found.includes(day))
}

function readClock(field: string, given: unknown): string {
  if (typeof given !== 'string' || !CLOCK.test(given)) {
    throw invalid(field, 'must have the form HH:MM')
  }
  return given
}

function readZone(field: string, given: unknown): string {
  const zone = typeof given === 'string' ? findTimeZone(given) : undefined
  if (zone) return zone
  throw invalid(field, 'must be a time zone such as Europe/Berlin')
}

const formatOf = memo(
  (zone) =>
    new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      weekday: 'short',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    }),
  500,
)

/** Returns the day (0 is Monday) and local time `HH:MM` in a zone. */
function localTime(zone: string, moment: Date): { day: number; time: string } {
  const parts = new Map(
    formatOf(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  )
  const weekday = (parts.get('weekday') ?? '').toLowerCase()
  return { day: DAYS.indexOf(weekday as Day), time: `${parts.get('hour')}:${parts.get('minute')}` }
}

/** Formats the condition as typed by users: `mon-fri 09:00-17:00 Europe/Berlin`. */
export function formatTime({ days, from, until, zone }: TimeCondition): string {
  const hours = from || until ? `${from ?? DAY_START}-${until ?? END}` : undefined
  return [days?.join(','), hours, zone].filter(Boolean).join(' ')
}
