import { jsonList } from './json-list.ts'

type Report<Difference> = {
  json: boolean
  /** Returns a line for a difference. */
  describe: (difference: Difference) => string
  /** The text that is shown if there are no differences. */
  agree: string
  /** Returns the error if there are differences. */
  fail: (count: number) => string
}

/** Yields a line for every difference, then throws if there were any. */
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
