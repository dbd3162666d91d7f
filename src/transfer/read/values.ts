import {
  AppError,
  formatProblem,
  type Problem,
  type ProblemCode,
  type Subject,
  toProblem,
} from '../../errors.ts'
import type { Values } from '../../messages.ts'

/** An object parsed from another service's JSON. */
export type Fields = Readonly<Record<string, unknown>>

type Read<Value> = (fields: Fields, name: string) => Value

/** Reads a field. Returns undefined if it is missing, null or empty. */
export function readOptional<Value>(
  fields: Fields,
  name: string,
  read: Read<Value>,
): Value | undefined {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return undefined
  return read(fields, name)
}

/**
 * Reads a part of a record that only decorates the link. Returns undefined if it is bad, and adds
 * the reason to `notices`.
 */
export function attempt<Value>(read: () => Value, notices: Problem[]): Value | undefined {
  try {
    return read()
  } catch (error) {
    notices.push(readProblem(error))
    return undefined
  }
}

/**
 * Reads a text.
 *
 * @throws Error naming the field
 */
export function readText(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  throw invalidValue(name, value === undefined ? 'missing' : 'value_text')
}

/**
 * Reads a whole number of at least 0, which may be written as text.
 *
 * @throws Error naming the field
 */
export function readNumber(fields: Fields, name: string): number {
  const value = fields[name]
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
  throw invalidValue(name, 'whole_number')
}

/**
 * Reads a boolean.
 *
 * @throws Error naming the field
 */
export function readFlag(fields: Fields, name: string): boolean {
  const value = fields[name]
  if (typeof value === 'boolean') return value
  throw invalidValue(name, 'true_or_false')
}

/**
 * Reads a time, which is a text or a number, and returns it as text for `parseMoment`.
 *
 * @throws Error naming the field
 */
export function readMoment(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string') return value
  if (typeof value !== 'number') throw invalidValue(name, 'date')
  // May be a duration in seconds. In JSON, it is not the day of a spreadsheet.
  if (/^\d{5}(\.|$)/.test(String(value))) {
    throw invalidValue(name, 'unknown_date', { date: String(value) })
  }
  return String(value)
}

/**
 * Reads a list of texts.
 *
 * @throws Error naming the field
 */
export function readTexts(fields: Fields, name: string): string[] {
  const value = fields[name]
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value
  throw invalidValue(name, 'list_of_texts')
}

/**
 * Reads a list of objects.
 *
 * @throws Error naming the field
 */
export function readObjects(fields: Fields, name: string): Fields[] {
  const value = fields[name]
  if (Array.isArray(value) && value.every(isObject)) return value
  throw invalidValue(name, 'list_of_objects')
}

/**
 * Reads numbers by name.
 *
 * @throws Error naming the field and the invalid entry
 */
export function readNamedCounts(fields: Fields, name: string): Map<string, number> {
  const value = fields[name]
  if (!isObject(value)) throw invalidValue(name, 'object_of_numbers')
  const counts = Object.keys(value).map((key) => {
    return [key, readWithin(name, () => readNumber(value, key))] as const
  })
  return new Map(counts)
}

/**
 * Reads a part of a record.
 *
 * @throws Error naming the field, prefixed with `path`
 */
export function readWithin<Value>(path: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw error instanceof RowError ? error.within(path) : error
  }
}

export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Thrown for a row of a source with a value that cannot be imported. Its name is that of plain errors. */
export class RowError extends Error {
  readonly problem: Problem

  constructor(problem: Problem) {
    super(formatProblem(problem, 'en'))
    this.problem = problem
  }

  /** Returns the error with the path of the part of the record before the name of the field. */
  within(path: string): RowError {
    const { problem } = this
    return typeof problem === 'string'
      ? this
      : new RowError({ ...problem, subject: `${path}.${problem.subject}` })
  }
}

/** Creates the error for a value of a column or field. */
export function invalidValue(subject: Subject, code: ProblemCode, args?: Values): RowError {
  return new RowError(createProblem(subject, code, args))
}

/** Returns the problem with the value of a column or field. */
export function createProblem(subject: Subject, code: ProblemCode, args?: Values): Problem {
  return { key: `problems.${code}`, ...(args && { args }), subject }
}

/** Returns what is wrong with a row, as stated by an error. */
export function readProblem(error: unknown): Problem {
  if (error instanceof RowError) return error.problem
  if (error instanceof AppError) return toProblem(error)
  return error instanceof Error ? error.message : String(error)
}
