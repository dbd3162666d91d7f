import type { LabelList } from '../../../clicks/read.ts'

/** The lists of labels. `variants` exists only for links with a split. */
export type ListName = LabelList | 'variants'
export type Tab = ListName | 'map' | 'links'
export type CardName = 'sources' | 'places' | 'tech' | 'links'
/** On wide pages, cards are in two columns. */
export type Card = { name: CardName; column: 0 | 1; tabs: readonly Tab[] }

/** The cards below the chart with their tabs. By default, the first tab is open. */
export const cards: readonly Card[] = [
  { name: 'sources', column: 0, tabs: ['referrers', 'languages'] },
  { name: 'places', column: 1, tabs: ['countries', 'map'] },
  { name: 'tech', column: 0, tabs: ['browsers', 'os', 'devices'] },
  { name: 'links', column: 1, tabs: ['links', 'variants'] },
]

/** The last path segment of lists that have a page and a file. */
export const listPaths = {
  countries: 'countries',
  referrers: 'referrers',
  browsers: 'browsers',
  systems: 'os',
  devices: 'devices',
  languages: 'languages',
  variants: 'variants',
  'top-links': 'links',
} as const satisfies Record<string, ListName | 'links'>

export type ListPath = keyof typeof listPaths

export const listPathNames = Object.keys(listPaths) as ListPath[]

/** Returns the last path segment of a list. */
export function toListPath(list: ListName | 'links'): ListPath {
  return listPathNames.find((path) => listPaths[path] === list) as ListPath
}
