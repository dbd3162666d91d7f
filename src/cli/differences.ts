import { jsonList } from './json-list.ts'

type Report<Difference> = {
  json: boolean
  /** A line for a difference. */
  describe: (difference: Difference) => string
  /** What is said where there is none. */
  agree: string
  /** The error where there are some. */
  fail: (count: number) => string
}

/** Writes every difference, and then fails if there was one. */
export async function* reportDifferences<Difference>(
  found: AsyncIterable<Difference>,
  { json, describe, agree, fail }: Report<Difference>,
): AsyncGenerator<string> {
  let count = 0
  const counted = (async function* () {
    for await (const difference of found) {
      count += 1
      yield difference
    }
  })()
  if (json) yield* jsonList('differences', counted, (difference) => difference)
  else for await (const difference of counted) yield `${describe(difference)}\n`
  if (count > 0) throw new Error(fail(count))
  if (!json) yield `${agree}\n`
}
