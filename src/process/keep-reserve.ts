import { fillReserve } from '../clicks/append.ts'
import { describeFileProblem } from '../files/file-problem.ts'

const INTERVAL_MS = 60_000

type Log = Record<'warn', (text: string) => void>

/** Keeps the journal's reserve for a full disk at its size. Only one process per machine does this. */
export function keepReserve(dir: string, bytes: number, log: Log): void {
  let lastProblem = ''
  const fill = async () => {
    try {
      await fillReserve(dir, bytes)
      lastProblem = ''
    } catch (error) {
      const problem = `the reserve of the journal: ${describeFileProblem(dir, error)}`
      if (problem !== lastProblem) log.warn(problem)
      lastProblem = problem
    }
  }
  void fill()
  setInterval(fill, INTERVAL_MS).unref()
}
