import type { ZonedStep } from './zone.ts'

/** Creates the function that returns the index of the step that contains a moment, or -1. */
export function createStepFinder(steps: readonly ZonedStep[]): (at: number) => number {
  const starts = Float64Array.from(steps, ({ from }) => from)
  const ends = Float64Array.from(steps, ({ until }) => until)
  let current = 0

  return (at) => {
    // Most clicks are in the same step as the previous click.
    if (at >= (starts[current] as number) && at < (ends[current] as number)) return current
    let first = 0
    let last = starts.length - 1
    while (first < last) {
      const middle = (first + last + 1) >>> 1
      if ((starts[middle] as number) <= at) first = middle
      else last = middle - 1
    }
    if (!(at >= (starts[first] as number) && at < (ends[first] as number))) return -1
    current = first
    return first
  }
}
