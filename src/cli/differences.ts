import { generateJsonList } from './json-list.ts'

type Report<Difference> = {
  json: boolean
  /** Returns a line for a difference. */
  describe: (difference: Difference) => string
  /** The text that is shown if there are no differences. */
  agreementText: string
  /** Returns the error message for a number of differences. */
  toErrorMessage: (count: number) => string
}

/** Yields a line for every difference, then throws if there were any. */
export async function* reportDifferences<Difference>(
  differences: AsyncIterable<Difference>,
  { json, describe, agreementText, toErrorMessage }: Report<Difference>,
): AsyncGenerator<string> {
  let count = 0
  const countedDifferences = (async function* () {
    for await (const difference of differences) {
      count += 1
      yield difference
    }
  })()
  if (json) yield* generateJsonList('differences', countedDifferences, (difference) => difference)
  else for await (const difference of countedDifferences) yield `${describe(difference)}\n`
  if (count > 0) throw new Error(toErrorMessage(count))
  if (!json) yield `${agreementText}\n`
}
