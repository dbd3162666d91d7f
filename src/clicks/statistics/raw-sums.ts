import { LAST_KIND, listedKinds } from '../encoding/label-kinds.ts'
import type { StoredClick } from '../encoding/raw-clicks.ts'
import type { NumberedFilters } from './label-filters.ts'
import type { Sums } from './period-sums.ts'
import type { ZonedStep } from './zone.ts'

/** Labels with numbers below this are counted in arrays, which is five times as fast as a map. */
const ARRAY_LENGTH = 1 << 20

export type RawSums = Sums & {
  add(click: StoredClick): void
  /** Returns the clicks of each link. */
  links(): ReadonlyMap<number, number>
  /** Returns the number of human clicks of counted links in the steps, before filters. */
  countedBeforeFilters(): number
}

/**
 * Creates sums of the human raw clicks that pass all filters, for consecutive steps. Skips links
 * for which `isCounted` returns false.
 */
export function createRawSums(
  steps: readonly ZonedStep[],
  filters: NumberedFilters,
  isCounted: (linkId: number) => boolean = () => true,
): RawSums {
  const timeline = steps.map(({ start }) => ({ start, clicks: 0, newVisitors: 0 }))
  const stepOf = createStepFinder(steps)
  const start = steps[0]?.from ?? 0
  const end = steps.at(-1)?.until ?? 0
  const totals = { clicks: 0, newVisitors: 0 }
  const counter = createLabelCounter()
  const conditions = Array.from(filters, ([kind, accepted]) => ({ kind, accepted }))
  const links = new Map<number, number>()
  let linkId = -1
  let linkClicks = 0
  let isIncluded = true
  let countedBeforeFilters = 0

  function add(click: StoredClick): void {
    if (click.crawler || click.at < start || click.at >= end) return
    if (click.linkId !== linkId) startLink(click.linkId)
    if (!isIncluded) return
    countedBeforeFilters += 1
    const { labels } = click
    for (let index = 0; index < conditions.length; index += 1) {
      const { kind, accepted } = conditions[index] as (typeof conditions)[number]
      if (!accepted.has(labels[kind] as number)) return
    }
    linkClicks += 1
    totals.clicks += 1
    const step = timeline[stepOf(click.at)]
    if (step) step.clicks += 1
    if (click.isFirst) {
      totals.newVisitors += 1
      if (step) step.newVisitors += 1
    }
    counter.add(labels)
  }

  function startLink(next: number): void {
    endLink()
    linkId = next
    isIncluded = isCounted(next)
  }

  function endLink(): void {
    if (linkClicks > 0) links.set(linkId, (links.get(linkId) ?? 0) + linkClicks)
    linkClicks = 0
  }

  return {
    add,
    totals,
    timeline,
    links() {
      endLink()
      return links
    },
    countedBeforeFilters: () => countedBeforeFilters,
    labelsOf: counter.labelsOf,
  }
}

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

/** Creates a counter of the labels of clicks, for all kinds that have a list. */
export function createLabelCounter() {
  const kinds = Int32Array.from(listedKinds, ({ number }) => number)
  const counts = Array.from({ length: LAST_KIND + 1 }, () => new Uint32Array(64))
  const largeCounts = Array.from({ length: LAST_KIND + 1 }, () => new Map<number, number>())

  /** Counts the labels of a click, which are indexed by kind number. */
  function add(labels: Int32Array): void {
    for (let index = 0; index < kinds.length; index += 1) {
      const kind = kinds[index] as number
      const label = labels[kind] as number
      const array = counts[kind] as Uint32Array
      if (label < array.length) array[label] = (array[label] as number) + 1
      else addLarge(kind, label)
    }
  }

  function addLarge(kind: number, label: number): void {
    if (label >= ARRAY_LENGTH) {
      const map = largeCounts[kind]
      map?.set(label, (map.get(label) ?? 0) + 1)
      return
    }
    const longer = new Uint32Array(2 ** Math.ceil(Math.log2(label + 1)))
    longer.set(counts[kind] ?? [])
    longer[label] = 1
    counts[kind] = longer
  }

  /** Returns the clicks of each label of a kind. */
  function labelsOf(kind: number): Map<number, number> {
    const found = new Map(largeCounts[kind])
    for (const [label, clicks] of counts[kind]?.entries() ?? []) {
      if (clicks > 0) found.set(label, clicks)
    }
    return found
  }

  return { add, labelsOf }
}
