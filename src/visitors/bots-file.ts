import { readFileSync } from 'node:fs'
import { BOT_NAMES } from './bot-names.ts'
import { toPattern } from './bot-patterns.ts'
import type { BotNames } from './crawler.ts'

const MIN_LENGTH = 3
const MAX_LENGTH = 100
const MAX_NAMES = 1000

/** Browsers of which a name of a bot must match none, because their clicks would not count. */
const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0',
  'Mozilla/5.0 (Linux; Android 15; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.6 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:145.0) Gecko/20100101 Firefox/145.0',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36 OPR/126.0.0.0',
]

/**
 * Reads the operator's names of bots from a JSON file, which maps `preview`, `crawler` and `monitor`
 * to lists of names. `file` may also be the JSON itself. Returns no names if it is empty.
 *
 * @throws Error naming the file if it cannot be read, or if a name in it is invalid
 */
export function readBotsFile(file: string): BotNames {
  if (file === '') return {}
  let parsed: unknown
  try {
    parsed = JSON.parse(file.startsWith('{') ? file : readFileSync(file, 'utf8'))
  } catch (error) {
    throw new Error(
      `BOTS_FILE ${file} cannot be read: ${error instanceof Error ? error.message : error}`,
    )
  }
  const problem = findProblem(parsed)
  if (problem) throw new Error(`BOTS_FILE ${file}: ${problem}`)
  return parsed as BotNames
}

function findProblem(parsed: unknown): string | undefined {
  const kinds = Object.keys(BOT_NAMES)
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return `must be an object with lists of names: ${kinds.join(', ')}`
  }
  const lists = Object.entries(parsed)
  for (const [kind, names] of lists) {
    if (!kinds.includes(kind)) return `'${kind}' must be one of ${kinds.join(', ')}`
    if (!Array.isArray(names)) return `${kind} must be a list of names`
    for (const name of names) {
      const problem = findNameProblem(name)
      if (problem) return `${JSON.stringify(name)} in ${kind} ${PROBLEMS[problem]}`
    }
  }
  const count = lists.reduce((sum, [, names]) => sum + names.length, 0)
  return count > MAX_NAMES ? `must have at most ${MAX_NAMES} names` : undefined
}

const PROBLEMS = {
  characters: 'must be text of printable ASCII characters',
  length: `must have ${MIN_LENGTH} to ${MAX_LENGTH} characters`,
  browser: 'matches a browser, whose clicks would not count',
}

/** Returns what is wrong with a name of a bot, or undefined. */
export function findNameProblem(name: unknown): keyof typeof PROBLEMS | undefined {
  if (typeof name !== 'string' || !/^\^?[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(name)) {
    return 'characters'
  }
  const { length } = name.replace(/^\^/, '')
  if (length < MIN_LENGTH || length > MAX_LENGTH) return 'length'
  const pattern = toPattern([name])
  return BROWSERS.some((browser) => pattern.test(browser)) ? 'browser' : undefined
}
