import { memo } from '../concurrency/memo.ts'
import { truncateUserAgent } from './user-agent.ts'

/** Returns an expression that matches any of the names at the boundaries of words. */
export function toPattern(names: readonly string[]): RegExp {
  const { atStart, anywhere } = Object.groupBy(names, (entry) =>
    entry.startsWith('^') ? 'atStart' : 'anywhere',
  )
  // One check of the boundary for all names takes half the time of one for each name.
  const parts = [
    ...(anywhere ? [`(?<![a-z0-9])(?:${anywhere.map(escapeName).join('|')})`] : []),
    ...(atStart ? [`^(?:${atStart.map((entry) => escapeName(entry.slice(1))).join('|')})`] : []),
  ]
  return new RegExp(parts.join('|'), 'i')
}

function escapeName(name: string): string {
  return `${RegExp.escape(name)}${/\w$/.test(name) ? '(?![a-z])' : ''}`
}

/**
 * Returns the function that finds the name of a list in a User-Agent, without what only limits where it
 * matches.
 */
export function createNameFinder(
  names: readonly string[],
): (userAgent: string) => string | undefined {
  const pattern = toPattern(names)
  const displayNames = new Map(
    names.map((name) => [
      name.replace(/^\^/, '').toLowerCase(),
      name.replace(/^\^|[\s/(;:]+$/g, ''),
    ]),
  )
  return (userAgent) => displayNames.get(pattern.exec(userAgent)?.[0].toLowerCase() ?? '')
}

/** Finds the name of an account's own list in a User-Agent. */
export type FindOwnName = (userAgent: string) => string | undefined

const compileNames = memo((text): FindOwnName => {
  const find = createNameFinder(JSON.parse(text) as string[])
  return (userAgent) => find(truncateUserAgent(userAgent))
}, 1000)

/** Returns the function that finds own names, or undefined without any. Equal lists share one. */
export function compileOwnNames(names: readonly string[]): FindOwnName | undefined {
  return names.length === 0 ? undefined : compileNames(JSON.stringify(names))
}
