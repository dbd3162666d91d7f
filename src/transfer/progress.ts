import type { Counts } from './counts.ts'
import type { Candidate, OnTaken, Outcome } from './import-batch.ts'

export type RowProblem = { row: number; alias: string; problem: string }

/** What has become of the rows so far, and what was wrong with those of the last batch. */
export type Progress = { counts: Counts; problems: readonly RowProblem[] }

/** A batch of rows: those that may become links, how many have, and what is wrong with the others. */
export type CheckedBatch = {
  candidates: readonly Candidate[]
  present: number
  problems: readonly RowProblem[]
  rows: number
}

type Choices = { dryRun: boolean; onTaken: OnTaken }

/** How far an import is after a batch whose candidates came out like this. */
export function progressAfter(
  before: Counts,
  { rows, present, problems }: CheckedBatch,
  outcomes: ReadonlyMap<Candidate, Outcome>,
  choices: Choices,
): Progress {
  const counts = { ...before, rows: before.rows + rows }
  counts.present += present
  counts.refused += problems.length
  for (const [{ link }, outcome] of outcomes) {
    counts[outcome.kind] += 1
    if (outcome.kind !== 'created') continue
    counts.clicks += outcome.clicks
    if (outcome.alias !== link.values.alias) counts.renamed += 1
  }
  return { counts, problems: [...problems, ...problemsOf(outcomes, choices)] }
}

function problemsOf(
  outcomes: ReadonlyMap<Candidate, Outcome>,
  { dryRun, onTaken }: Choices,
): RowProblem[] {
  return [...outcomes].flatMap(([{ row, link, isRepeat }, outcome]) => {
    const { alias } = link.values
    if (outcome.kind === 'refused') return { row, alias, problem: outcome.problem }
    if (outcome.kind === 'taken' && !(dryRun && onTaken === 'rename')) {
      return {
        row,
        alias,
        problem: isRepeat ? 'the alias is in the file already' : 'the alias is taken',
      }
    }
    return []
  })
}
