import { deviceNumber, languageNumber } from '../clicks/encoding/fixed-labels.ts'
import { countsOf, KIND, labelKey, OTHER } from '../clicks/encoding/label-counts.ts'
import type { Counts } from '../clicks/encoding/packed-counts.ts'
import type { LinkHistory } from '../clicks/import/history.queries.ts'
import { socialNetwork } from '../visitors/referrer.ts'
import type { DeviceClass } from '../visitors/user-agent.ts'
import type { History, HistoryDay } from './history.ts'

/** The lists whose labels are names that the database numbers; those of which there are most come last. */
const NAMED = {
  countries: KIND.country,
  browsers: KIND.browser,
  os: KIND.os,
  referrers: KIND.referrer,
} as const
const NAMED_LISTS = Object.keys(NAMED) as (keyof typeof NAMED)[]

/** Every name that these histories need a number for. */
export function namesOf(histories: readonly History[]): string[] {
  const names = new Set([OTHER])
  const days = histories.flatMap((history) => history.days)
  for (const list of NAMED_LISTS) {
    for (const { labels } of days) for (const name of labels[list].keys()) names.add(name)
  }
  for (const { labels } of days) {
    for (const name of labels.referrers.keys()) names.add(socialNetwork(name) ?? name)
  }
  return [...names]
}

/** A history in the numbers in which it is stored; labels without a number count as `Other`. */
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
      hours: countsOf(each.hours),
      labels: packLabels(each, ids),
    })),
  }
}

function packLabels({ labels }: HistoryDay, ids: ReadonlyMap<string, number>): Counts {
  const sums = new Map<number, number>()
  const numberOf = (name: string) => (ids.get(name) ?? ids.get(OTHER)) as number
  const count = (kind: number, label: number, clicks: number) => {
    const key = labelKey(kind, label)
    sums.set(key, (sums.get(key) ?? 0) + clicks)
  }
  for (const list of NAMED_LISTS) {
    for (const [name, clicks] of labels[list]) count(NAMED[list], numberOf(name), clicks)
  }
  for (const [name, clicks] of labels.referrers) {
    const network = socialNetwork(name)
    if (network) count(KIND.social, numberOf(network), clicks)
  }
  for (const [name, clicks] of labels.devices) {
    count(KIND.device, Math.max(0, deviceNumber(name.toLowerCase() as DeviceClass)), clicks)
  }
  for (const [name, clicks] of labels.languages) {
    count(KIND.language, /^[a-z]{2,3}$/.test(name) ? languageNumber(name) : 0, clicks)
  }
  return countsOf(sums)
}
