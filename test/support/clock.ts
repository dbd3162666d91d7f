import type { Clock } from '../../src/clock.ts'

export type TestClock = Clock & {
  /** Moves the clock forward by so many seconds. */
  advance(seconds: number): void
  set(moment: string): void
}

/** A clock that stands still until it is moved, beginning at the present. */
export function createClock(): TestClock {
  let now = Date.now()
  return Object.assign(() => new Date(now), {
    advance(seconds: number) {
      now += seconds * 1000
    },
    set(moment: string) {
      now = Date.parse(moment)
    },
  })
}
