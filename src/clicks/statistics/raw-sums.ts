import { eachClick, type StoredClick } from '../encoding/raw-clicks.ts'
import { createLabelCounter } from './label-counter.ts'
import type { NumberedFilters } from './label-filters.ts'
import type { Sums } from './period-sums.ts'
import type { ZonedStep } from './zone.ts'

export type RawSums = Sums & {
  /** Adds packed clicks. */
  add(blocks: Buffer): void
  /** The clicks of each link. */
  links: ReadonlyMap<number, number>
  /** Clicks of people within the steps, whether or not they pass the filters. */
  seen(): number
}

/** Adds raw clicks up that pass all filters: the clicks of people within the steps, which have no gaps. */
export function createRawSums(
  steps: readonly ZonedStep[],
  filters: NumberedFilters,
  isCounted: (linkId: number) => boolean = () => true,
): RawSums {
  const timeline = steps.map(({ start }) => ({ start, clicks: 0, newVisitors: 0 }))
  const stepOf = createStepFinder(steps)
  const [begin, end] = [steps[0]?.from ?? 0, steps.at(-1)?.until ?? 0]
  const totals = { clicks: 0, newVisitors: 0 }
  const counter = createLabelCounter()
  const conditions = Array.from(filters, ([kind, wanted]) => ({ kind, wanted }))
  const links = new Map<number, number>()
  let [linkId, linkClicks, isWanted, seen] = [-1, 0, true, 0]

  function add(blocks: Buffer): void {
    eachClick(blocks, addClick)
    endLink()
  }

  function addClick(click: StoredClick): void {
    if (click.crawler || click.at < begin || click.at >= end) return
    if (click.linkId !== linkId) startLink(click.linkId)
    if (!isWanted) return
    seen += 1
    const { labels } = click
    for (let index = 0; index < conditions.length; index += 1) {
      const { kind, wanted } = conditions[index] as (typeof conditions)[number]
      if (!wanted.has(labels[kind] as number)) return
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
    isWanted = isCounted(next)
  }

  function endLink(): void {
    if (linkClicks > 0) links.set(linkId, (links.get(linkId) ?? 0) + linkClicks)
    linkClicks = 0
  }

  return {
    add,
    totals,
    timeline,
    links,
    seen: () => seen,
    labelsOf: counter.labelsOf,
  }
}

/** Creates the function that returns the index of the step in which a moment lies, -1 for none. */
export function createStepFinder(steps: readonly ZonedStep[]): (at: number) => number {
  const starts = Float64Array.from(steps, ({ from }) => from)
  const ends = Float64Array.from(steps, ({ until }) => until)
  let current = 0

  return (at) => {
    // Most clicks are in the step of the click before.
    if (at >= (starts[current] as number) && at < (ends[current] as number)) return current
    let [first, last] = [0, starts.length - 1]
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
