import { readFileSync } from 'node:fs'
import { isbot } from 'isbot'
import { createClientClassifier } from '../src/visitors/crawler.ts'

type Robot = { instances?: string[]; tags?: string[] }

const { classify, isCrawler } = createClientClassifier()

/** Tags of HTTP libraries and of browsers that a program drives: their clicks count. */
const TOOL_TAGS = ['http-library', 'browser-automation']

/** The User-Agents in public lists of robots and of browsers, each once unless noted. */
export type PublicLists = {
  /** Crawlers, monitors and preview bots. */
  robots: string[]
  /** Command-line tools, HTTP libraries and automated browsers. */
  tools: string[]
  /** Visits by people. Frequent browsers occur often. */
  visits: string[]
  /** The most frequent browsers. */
  browsers: string[]
}

/** Reads the lists from their packages. */
export function readPublicLists(): PublicLists {
  const listed = readPackage<Robot[]>('crawler-user-agents', 'crawler-user-agents.json')
  const tools = new Set(listed.filter(isTool).flatMap(({ instances = [] }) => instances))
  const all = new Set(listed.flatMap(({ instances = [] }) => instances))
  return {
    robots: [...all].filter((userAgent) => !tools.has(userAgent)),
    tools: [...tools],
    visits: readPackage<{ userAgent: string }[]>('user-agents', 'dist/user-agents.json').map(
      ({ userAgent }) => userAgent,
    ),
    browsers: readPackage<string[]>('top-user-agents', 'src/index.json'),
  }
}

function isTool({ tags = [] }: Robot): boolean {
  return tags.some((tag) => TOOL_TAGS.includes(tag))
}

/** A list, with the number of its User-Agents that each classification takes for a robot. */
export type Verdict = { list: keyof PublicLists; total: number; brevis: number; isbot: number }

/** Counts by list what Brevis and isbot take for a robot. */
export function judgeLists(lists: PublicLists): Verdict[] {
  return (['robots', 'tools', 'visits', 'browsers'] as const).map((list) => ({
    list,
    total: lists[list].length,
    brevis: lists[list].filter(isCrawler).length,
    isbot: lists[list].filter((userAgent) => isbot(userAgent)).length,
  }))
}

/** Returns the robots and tools that count as people and name a browser, whose headers may tell. */
export function listDisguised({ robots, tools }: PublicLists): string[] {
  return [...robots, ...tools].filter(
    (userAgent) => /^Mozilla\/5/.test(userAgent) && classify(userAgent) === 'person',
  )
}

/** Returns the User-Agents that Brevis classifies wrongly, each with the kind it takes them for. */
export function listMistakes({ robots, visits, browsers }: PublicLists): string[] {
  const people = new Set([...visits, ...browsers])
  return [
    ...robots.filter((userAgent) => !isCrawler(userAgent)),
    ...[...people].filter((userAgent) => isCrawler(userAgent)),
  ].map((userAgent) => `${classify(userAgent)}: ${userAgent}`)
}

/** Returns the installed version of a package. */
export function readVersion(name: string): string {
  return readPackage<{ version: string }>(name, 'package.json').version
}

function readPackage<Content>(name: string, file: string): Content {
  return JSON.parse(
    readFileSync(new URL(`../node_modules/${name}/${file}`, import.meta.url), 'utf8'),
  )
}
