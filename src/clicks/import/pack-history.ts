import { findSocialNetwork } from '../../visitors/referrer.ts'
import { OTHER_LABEL, toCounts, toLabelKey } from '../encoding/label-counts.ts'
import { codecOf, KIND, type LabelList, listedKinds } from '../encoding/label-kinds.ts'
import type { Counts } from '../encoding/packed-counts.ts'

/**
 * A link's clicks on another service, by day. On each day, the labels of each kind add up to the
 * clicks.
 */
export type History = { days: readonly HistoryDay[]; lastClickAt: Date | null }

export type HistoryDay = {
  /** Days since 1970. */
  day: number
  clicks: number
  /** Clicks by hour of the day. */
  hours: ReadonlyMap<number, number>
  labels: Readonly<Record<LabelList, ReadonlyMap<string, number>>>
}

/** A link's clicks on another service, by day, with label numbers. */
export type LinkHistory = {
  linkId: number
  lastClickAt: Date | null
  /** The days in ascending order. */
  days: readonly { day: number; clicks: number; hours: Counts; labels: Counts }[]
}

/** Referrers come last. There may be many of them, and a limit drops the last names. */
const namedKinds = listedKinds
  .filter(({ codec }) => !codec)
  .sort((a, b) => Number(a.name === 'referrer') - Number(b.name === 'referrer'))

/** Returns all names in these histories that need a number. */
export function listNames(histories: readonly History[]): string[] {
  const names = new Set([OTHER_LABEL])
  const days = histories.flatMap((history) => history.days)
  for (const { list } of namedKinds) {
    for (const { labels } of days) for (const name of labels[list].keys()) names.add(name)
  }
  for (const { labels } of days) {
    for (const name of labels.referrers.keys()) names.add(findSocialNetwork(name) ?? name)
  }
  return [...names]
}

/** Returns a history with label numbers. Labels without a number are counted as `Other`. */
export function packHistory(
  linkId: number,
  { days, lastClickAt }: History,
  ids: ReadonlyMap<string, number>,
): LinkHistory {
  return {
    linkId,
    lastClickAt,
    days: days.map((each) => ({
      day: each.day,
      clicks: each.clicks,
      hours: toCounts(each.hours),
      labels: packLabels(each, ids),
    })),
  }
}

function packLabels({ labels }: HistoryDay, ids: ReadonlyMap<string, number>): Counts {
  const sums = new Map<number, number>()
  const numberOf = (name: string) => (ids.get(name) ?? ids.get(OTHER_LABEL)) as number
  const count = (kind: number, label: number, clicks: number) => {
    const key = toLabelKey(kind, label)
    sums.set(key, (sums.get(key) ?? 0) + clicks)
  }
  for (const { name, number: kind, list } of listedKinds) {
    const toNumber = codecOf(name)?.numberOf ?? numberOf
    for (const [label, clicks] of labels[list]) count(kind, toNumber(label), clicks)
  }
  for (const [name, clicks] of labels.referrers) {
    const network = findSocialNetwork(name)
    if (network) count(KIND.social, numberOf(network), clicks)
  }
  return toCounts(sums)
}
