import {
  AppError,
  formatProblem,
  type Problem,
  type ProblemCode,
  type Subject,
  toProblem,
} from '../../errors.ts'
import type { Values } from '../../messages.ts'

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
