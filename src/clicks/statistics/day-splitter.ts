import { unpackInto } from '../encoding/label-counts.ts'
import { HOURS_PER_DAY, NEW_VISITORS_OFFSET } from '../encoding/packed-counts.ts'
import type { StoredClick } from '../encoding/raw-clicks.ts'
import type { DayRow } from './period-sums.ts'
import { createStepFinder } from './raw-sums.ts'
import type { ZonedStep } from './zone.ts'

type Counts = { clicks: number; newVisitors: number }

/** Receives the counts of a step. `step` is its index, or -1 outside of all steps. */
type Add = (step: number, counts: Counts, owner: number) => void

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const NEW_CLICK: Counts = { clicks: 1, newVisitors: 1 }
const CLICK: Counts = { clicks: 1, newVisitors: 0 }

/**
 * Creates a splitter that assigns stored days (UTC) to steps with any boundaries. Hours that belong
 * to two steps wait for their raw clicks. Without raw clicks, they are assigned to the first of the
 * two steps.
 */
export function createDaySplitter(steps: readonly ZonedStep[], add: Add) {
  const stepOf = createStepFinder(steps)
  /** The counts of an hour that are not assigned yet, by the start of the hour and by owner. */
  const cutHours = new Map<number, Map<number, Counts>>()
  /** The clicks of complete days that contain such hours. */
  const clicksOfCutDays = new Map<number, number>()

  /** Adds a day of an owner. Returns whether any of its clicks may be within the steps. */
  function addDay(row: DayRow, owner = 0): boolean {
    const from = row.day * DAY_MS
    const step = stepOf(from)
    if (step < 0 || step !== stepOf(from + DAY_MS - 1)) return addHours(row, owner)
    add(step, { clicks: row.clicks, newVisitors: row.visitors }, owner)
    return true
  }

  function addHours({ day, hours, clicks: clicksOfDay }: DayRow, owner: number): boolean {
    const counts = new Map<number, number>()
    if (hours) unpackInto(hours, counts)
    let isWithin = false
    let isCut = false
    for (const [key, count] of counts) {
      const at = day * DAY_MS + (key % HOURS_PER_DAY) * HOUR_MS
      const hour =
        key < NEW_VISITORS_OFFSET
          ? { clicks: count, newVisitors: 0 }
          : { clicks: 0, newVisitors: count }
      const step = stepOf(at)
      const last = stepOf(at + HOUR_MS - 1)
      if (step >= 0 || last >= 0) isWithin = true
      if (step === last) add(step, hour, owner)
      else {
        isCut = true
        addToCutHour(at, hour, owner)
      }
    }
    if (isCut) clicksOfCutDays.set(day, (clicksOfCutDays.get(day) ?? 0) + clicksOfDay)
    return isWithin
  }

  function addToCutHour(at: number, { clicks, newVisitors }: Counts, owner: number): void {
    const owners = cutHours.get(at) ?? new Map<number, Counts>()
    const counts = owners.get(owner) ?? { clicks: 0, newVisitors: 0 }
    counts.clicks += clicks
    counts.newVisitors += newVisitors
    owners.set(owner, counts)
    cutHours.set(at, owners)
  }

  /** Adds a raw click if its hour is waiting for raw clicks. */
  function addClick({ at, crawler, isFirst }: StoredClick, owner = 0): void {
    const remaining = crawler
      ? undefined
      : cutHours.get(Math.floor(at / HOUR_MS) * HOUR_MS)?.get(owner)
    if (!remaining) return
    remaining.clicks -= 1
    if (isFirst) remaining.newVisitors -= 1
    add(stepOf(at), isFirst ? NEW_CLICK : CLICK, owner)
  }

  /**
   * Assigns counts without raw clicks to the steps in which their hours start. Returns whether
   * there were any.
   */
  function addRemaining(): boolean {
    let hasRemaining = false
    for (const [at, owners] of cutHours) {
      for (const [owner, { clicks, newVisitors }] of owners) {
        if (clicks <= 0 && newVisitors <= 0) continue
        hasRemaining = true
        const remaining = { clicks: Math.max(0, clicks), newVisitors: Math.max(0, newVisitors) }
        add(stepOf(at), remaining, owner)
      }
    }
    return hasRemaining
  }

  /** Returns the owners that have hours waiting for raw clicks. */
  const listCutOwners = () =>
    new Set([...cutHours.values()].flatMap((owners) => [...owners.keys()]))

  return { addDay, addClick, addRemaining, listCutOwners, clicksOfCutDays }
}
