import { memo } from '../../concurrency/memo.ts'
import { checkAll, invalid } from '../../errors.ts'
import { findTimeZone } from '../../time-zone.ts'

const DAYS = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const
type Day = (typeof DAYS)[number]

/** Hours of the week in a time zone. Without days, the condition applies every day. */
export type TimeCondition = {
  days?: readonly Day[]
  /** The start as `HH:MM`, inclusive. */
  from?: string
  /** The end as `HH:MM`, exclusive. If it is not after `from`, the range ends on the next day. */
  until?: string
  zone: string
}

const DAY_START = '00:00'
/** A value after any time of day. */
const DAY_END = '24:00'
const CLOCK = /^(?:[01]\d|2[0-3]):[0-5]\d$/

/**
 * Returns whether a moment is within the hours. Hours after midnight belong to the previous day's
 * range.
 */
export function isWithinHours(
  { days = DAYS, from = DAY_START, until = DAY_END, zone }: TimeCondition,
  moment: Date,
): boolean {
  const { day, time } = getLocalTime(zone, moment)
  const appliesOn = (index: number) => days.includes(DAYS[index % 7] as Day)
  if (from < until) return appliesOn(day) && from <= time && time < until
  return time >= from ? appliesOn(day) : time < until && appliesOn(day + 6)
}

/**
 * Validates a time condition. Throws AppError `invalid_input` naming the invalid part of `field`.
 */
export function readTime(field: string, input: unknown): TimeCondition {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    throw invalid(field, 'rule_time')
  }
  const { days, from, until, zone, ...others } = input as Record<string, unknown>
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`${field}.${unknown.slice(0, 64)}`, 'unknown')
  const parts = checkAll(
    () => days != null && { days: readDays(`${field}.days`, days) },
    () => from != null && { from: readClock(`${field}.from`, from) },
    () => until != null && { until: readClock(`${field}.until`, until) },
    () => ({ zone: readZone(`${field}.zone`, zone ?? 'UTC') }),
  )
  const time: TimeCondition = Object.assign({}, ...parts)
  if (!time.days && !time.from && !time.until) throw invalid(field, 'rule_time_empty')
  if ((time.from ?? DAY_START) === (time.until ?? DAY_END)) {
    throw invalid(`${field}.until`, 'different_from_start')
  }
  return time
}

function readDays(field: string, input: unknown): Day[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > DAYS.length) {
    throw invalid(field, 'days_list', { max: DAYS.length })
  }
  const listedDays = input.map((name, index) => {
    const day = DAYS.find((each) => each === String(name).slice(0, 64).toLowerCase())
    if (!day) throw invalid(`${field}[${index}]`, 'one_of', { choices: DAYS.join(', ') })
    return day
  })
  return DAYS.filter((day) => listedDays.includes(day))
}

function readClock(field: string, input: unknown): string {
  if (typeof input !== 'string' || !CLOCK.test(input)) {
    throw invalid(field, 'hour_and_minute')
  }
  return input
}

function readZone(field: string, input: unknown): string {
  const zone = typeof input === 'string' ? findTimeZone(input) : undefined
  if (zone) return zone
  throw invalid(field, 'time_zone_of_rule')
}

const getFormat = memo(
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

/** Returns the day of the week (Monday is 0) and the time `HH:MM` in a zone. */
function getLocalTime(zone: string, moment: Date): { day: number; time: string } {
  const parts = new Map(
    getFormat(zone)
      .formatToParts(moment)
      .map(({ type, value }) => [type, value]),
  )
  const weekday = (parts.get('weekday') ?? '').toLowerCase()
  return { day: DAYS.indexOf(weekday as Day), time: `${parts.get('hour')}:${parts.get('minute')}` }
}

/** Formats the condition as text, such as `mon,fri 09:00-17:00 Europe/Berlin`. */
export function formatTime({ days, from, until, zone }: TimeCondition): string {
  const hours = from || until ? `${from ?? DAY_START}-${until ?? DAY_END}` : undefined
  return [days?.join(','), hours, zone].filter(Boolean).join(' ')
}
