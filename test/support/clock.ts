import type { Clock } from '../../src/clock.ts'

export type TestClock = Clock & {
  /** Advances the clock by seconds. */
  advance(seconds: number): void
  set(moment: string): void
}

/** Creates a clock that stays at the current time until a test advances or sets it. */
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
