import { isbot } from 'isbot'
import { lacksBrowserHeaders, namesFullBrowser } from '../../src/visitors/automated.ts'
import { createClientClassifier } from '../../src/visitors/crawler.ts'
import { BROWSERS, LESSER_BROWSERS } from '../../test/fixtures/browser-headers.ts'
import { type BenchOptions, type Figure, median } from '../figures.ts'
import {
  judgeLists,
  listDisguised,
  listMistakes,
  type PublicLists,
  readPublicLists,
} from '../public-lists.ts'

const GOALS: Partial<Record<keyof PublicLists, number>> = { robots: 1, visits: 0.01 }

/**
 * Measures how many robots of public lists pass as people, how many people count as robots, how many
 * requests are marked as automated, and how long a new User-Agent takes to classify. Logs every User-Agent that is classified wrongly.
 */
export async function robots({ log, quick }: BenchOptions): Promise<Figure[]> {
  const lists = readPublicLists()
  for (const mistake of listMistakes(lists)) log(mistake)
  return [...measureErrors(lists), ...measureMarks(lists), ...measureTime(lists, quick ? 1 : 9)]
}

/** Returns the error rates on the lists. They are the same on every machine. */
export function measureErrors(lists: PublicLists): Figure[] {
  return judgeLists(lists).flatMap(({ list, total, ...found }) => {
    const areRobots = list === 'robots' || list === 'tools'
    const measure = (name: 'brevis' | 'isbot') =>
      ((areRobots ? total - found[name] : found[name]) / total) * 100
    const error = areRobots ? 'pass as people' : 'count as robots'
    const atMost = GOALS[list]
    return [
      { name: `${list}`, value: total, unit: '' },
      {
        name: `${list} that ${error}`,
        value: measure('brevis'),
        unit: '%',
        ...(atMost !== undefined && { goal: { atMost } }),
      },
      { name: `${list} that ${error}, isbot`, value: measure('isbot'), unit: '%' },
    ]
  })
}

/**
 * Returns how many requests over https are marked: those of browsers with their headers, and the
 * User-Agents of the lists without any. They are the same on every machine.
 */
export function measureMarks(lists: PublicLists): Figure[] {
  const withHeaders = [...BROWSERS, ...LESSER_BROWSERS].map(({ headers }) => headers)
  const bare = (userAgents: readonly string[]) =>
    userAgents.map((userAgent) => ({ 'user-agent': userAgent }))
  const measure = (name: string, requests: Record<string, string>[]): [Figure, Figure] => {
    const marked = requests.filter(
      (headers) =>
        lacksBrowserHeaders({ headers, protocol: 'https' }) &&
        namesFullBrowser(headers['user-agent'] ?? ''),
    )
    const value = (marked.length / requests.length) * 100
    return [
      { name, value: requests.length, unit: '' },
      { name: `${name} that are marked`, value, unit: '%' },
    ]
  }
  const [total, marked] = measure('requests with the headers of browsers', withHeaders)
  return [
    total,
    { ...marked, goal: { atMost: 0 } },
    ...measure('visits without headers', bare(lists.visits)),
    ...measure('disguised robots without headers', bare(listDisguised(lists))),
  ]
}

function measureTime({ robots, visits }: PublicLists, rounds: number): Figure[] {
  const browsers = [...new Set(visits)]
  const classifiers = {
    '': createClientClassifier().classify,
    ', isbot': (userAgent: string) => isbot(userAgent),
  }
  const times = Array.from({ length: rounds }, (_, round) =>
    Object.entries({ browser: browsers, robot: robots }).flatMap(([name, userAgents]) =>
      Object.entries(classifiers).map(([classifier, classify]) => ({
        name: `time per new ${name}${classifier}`,
        // A new text each time, because results are cached.
        value: time(userAgents, (userAgent) => classify(`${userAgent} ${round}`)),
      })),
    ),
  )
  return (times[0] ?? []).map(({ name }, index) => ({
    name,
    value: median(times.map((round) => round[index]?.value ?? Number.NaN)),
    unit: 'µs',
  }))
}

/** Returns the microseconds that one call takes. */
function time(userAgents: readonly string[], run: (userAgent: string) => unknown): number {
  const started = performance.now()
  for (const userAgent of userAgents) run(userAgent)
  return ((performance.now() - started) * 1000) / userAgents.length
}
