import { formatCount } from '../shell/format-count.ts'

const VERBS = {
  tagged: 'tagged',
  untagged: 'rid of the tag',
  disabled: 'disabled',
  enabled: 'enabled',
  deleted: 'deleted',
} as const

export type Outcome = { done: keyof typeof VERBS; count: number; blocked?: number }

/** What became of a change, as the address of the next page carries it. */
export function outcomeParameter({ done, count, blocked = 0 }: Outcome): { done: string } {
  return { done: `${done}.${count}${blocked > 0 ? `.${blocked}` : ''}` }
}

/** What such a parameter says to people; nothing where it is none. */
export function outcomeText(value: unknown): string | undefined {
  const parts = /^([a-z]+)\.(\d{1,4})(?:\.(\d{1,4}))?$/.exec(typeof value === 'string' ? value : '')
  const done = Object.keys(VERBS).find((verb) => verb === parts?.[1]) as Outcome['done'] | undefined
  if (!parts || !done) return undefined
  const blocked = Number(parts[3] ?? 0)
  const kept =
    blocked > 0
      ? ` ${countOf(blocked)} left as the operator has it, who disabled ${blocked === 1 ? 'it' : 'them'}.`
      : ''
  return `${countOf(Number(parts[2]))} ${VERBS[done]}.${kept}`
}

function countOf(links: number): string {
  return links === 1 ? '1 link' : `${formatCount(links)} links`
}
