import type { Problem } from '../errors.ts'
import { isTextKey } from '../texts.ts'

/** The maximum length of a stored text or argument. */
const MAX_LENGTH = 300
/** How a stored problem begins that is not plain text. */
const START = '{"key":"'

/** Returns a problem as text to store: its key and arguments as JSON, so that it can be translated. */
export function serializeProblem(problem: Problem): string {
  if (typeof problem === 'string') return toStorableText(problem)
  return JSON.stringify(problem, (_, value: unknown) =>
    typeof value === 'string' ? toStorableText(value) : value,
  )
}

/** Returns a stored problem. Plain text is returned as it is. */
export function parseProblem(text: string): Problem {
  if (!text.startsWith(START)) return text
  const problem = JSON.parse(text)
  return isTextKey(problem.key) ? problem : text
}

/** Returns text that PostgreSQL can store, truncated to the maximum length. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed().slice(0, MAX_LENGTH).toWellFormed()
}
