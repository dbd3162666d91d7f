import { expect, onTestFinished, TestRunner } from 'vitest'
import type { Clock } from '../../src/clock.ts'

export type TestClock = Clock & {
  /** Advances the clock by seconds. */
  advance(seconds: number): void
  set(moment: string): void
}

/**
 * Creates a clock that stays at the current time until a test advances or sets it. The end of that
 * test undoes the change, because the next test may share the clock.
 */
export function createClock(): TestClock {
  let now = Date.now()
  let changedBy: unknown
  function change(moment: number): void {
    const test = TestRunner.getCurrentTest()
    const before = now
    if (test && test !== changedBy) {
      onTestFinished(() => {
        now = before
        changedBy = undefined
      })
    }
    changedBy = test
    now = moment
  }
  return Object.assign(() => new Date(now), {
    advance: (seconds: number) => change(now + seconds * 1000),
    set: (moment: string) => change(Date.parse(moment)),
  })
}

/**
 * Begins to watch the calendar, and returns a function that creates a matcher for a day of the time
 * since then. If midnight passes during a test, it may see either day.
 */
export function watchDays(): () => unknown {
  const readDay = () => new Date().toISOString().slice(0, 10)
  const first = readDay()
  return () => expect.toBeOneOf([first, readDay()])
}
