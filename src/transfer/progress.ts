import type { Counts } from './counts.ts'
import type { Candidate, OnTaken, Outcome } from './import-batch.ts'
import type { ImportedLabels } from './import-labels.ts'

export type RowProblem = { row: number; alias: string; problem: string }

/** What has become of the rows so far, and what was wrong with those of the last batch. */
export type Progress = {
  counts: Counts
  problems: readonly RowProblem[]
  /** Columns or fields of the source so far that the import does not use. */
  unused: readonly string[]
}

/** A batch of rows: those that may become links, how many have, and what is wrong with the others. */
export type CheckedBatch = {
  candidates: readonly Candidate[]
  present: number
  problems: readonly RowProblem[]
  rows: number
  unused: readonly string[]
}

type Choices = { dryRun: boolean; onTaken: OnTaken }

/** How far an import is after a batch whose candidates came out like this. */
export function progressAfter(
  before: Counts,
  { rows, present, problems, unused }: CheckedBatch,
  outcomes: ReadonlyMap<Candidate, Outcome>,
  { isCut }: Pick<ImportedLabels, 'isCut'>,
  choices: Choices,
): Progress {
  const counts = { ...before, rows: before.rows + rows }
  counts.present += present
  counts.refused += problems.length
  for (const [{ link }, outcome] of outcomes) {
    counts[outcome.kind] += 1
    if (outcome.kind !== 'created') continue
    counts.clicks += outcome.clicks
    if (outcome.alias !== link.row.alias) counts.renamed += 1
    if (link.forwardsQuery) counts.forwarding += 1
    if (isCut(link.history)) counts.labelsCut += 1
  }
  return { counts, problems: [...problems, ...problemsOf(outcomes, choices)], unused }
}

function problemsOf(
  outcomes: ReadonlyMap<Candidate, Outcome>,
  { dryRun, onTaken }: Choices,
): RowProblem[] {
  return [...outcomes].flatMap(([{ row, link, isRepeat }, outcome]) => {
    const { alias } = link.row
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
