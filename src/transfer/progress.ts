import { formatProblem, type Problem } from '../errors.ts'
import {
  type Candidate,
  type ImportedLabels,
  MAX_NEW_LABELS,
  type Outcome,
  type TakenAliasPolicy,
} from './import-batch.ts'
import type { Source } from './record.ts'

/**
 * The numbers of rows of an import by outcome: `present` links were imported before, `taken`
 * aliases belong to other links, and `refused` rows are invalid. `clicks` counts the clicks of the
 * created links. `renamed` and `labelsCut` are subsets of `created`: links that got another alias,
 * and links with labels that were counted as `Other` because the account's imports have introduced
 * too many names. `noticed` counts values that created links lost because they were invalid.
 */
export type Counts = {
  rows: number
  created: number
  renamed: number
  present: number
  taken: number
  refused: number
  clicks: number
  labelsCut: number
  noticed: number
}

export type RowProblem = { row: number; alias: string; problem: Problem }

/**
 * The counts of all rows so far, and the problems in the last batch. `notices` has the values that
 * its created links lost.
 */
export type Progress = {
  counts: Counts
  problems: readonly RowProblem[]
  notices: readonly RowProblem[]
  /** The columns or fields of the source that have not been used so far. */
  unused: readonly string[]
}

/**
 * A validated batch: the rows that may become links, the number of rows already imported, and the
 * problems of the others.
 */
export type CheckedBatch = {
  candidates: readonly Candidate[]
  present: number
  problems: readonly RowProblem[]
  rows: number
  unused: readonly string[]
}

type Choices = { dryRun: boolean; onTaken: TakenAliasPolicy; source: Source }

/** Returns the name of a link in problems. The links of a list only have destinations. */
export function getName(source: Source, link: { alias: string; url: string }): string {
  return source === 'list' ? link.url : link.alias
}

/** Returns the progress after a batch with these outcomes. */
export function computeProgress(
  before: Counts,
  { rows, present, problems, unused }: CheckedBatch,
  outcomes: ReadonlyMap<Candidate, Outcome>,
  { hasDroppedLabels }: Pick<ImportedLabels, 'hasDroppedLabels'>,
  choices: Choices,
): Progress {
  const counts = { ...before, rows: before.rows + rows }
  counts.present += present
  counts.refused += problems.length
  const notices: RowProblem[] = []
  for (const [{ row, link }, outcome] of outcomes) {
    counts[outcome.kind] += 1
    if (outcome.kind !== 'created') continue
    const { alias } = outcome
    notices.push(...link.notices.map((problem) => ({ row, alias, problem })))
    counts.clicks += outcome.clicks
    if (outcome.alias !== link.row.alias) counts.renamed += 1
    if (hasDroppedLabels(link.history)) counts.labelsCut += 1
  }
  counts.noticed += notices.length
  const allProblems = [...problems, ...listOutcomeProblems(outcomes, choices)]
  return { counts, problems: allProblems, notices, unused }
}

function listOutcomeProblems(
  outcomes: ReadonlyMap<Candidate, Outcome>,
  { dryRun, onTaken, source }: Choices,
): RowProblem[] {
  return [...outcomes].flatMap(([{ row, link, isRepeat }, outcome]) => {
    const alias = getName(source, link.row)
    if (outcome.kind === 'refused') return { row, alias, problem: outcome.problem }
    if (outcome.kind === 'taken' && !(dryRun && onTaken === 'rename')) {
      return {
        row,
        alias,
        problem: { key: isRepeat ? 'rowProblems.alias_in_file' : 'rowProblems.alias_taken' },
      }
    }
    return []
  })
}

export function createZeroCounts(): Counts {
  const rows = { rows: 0, created: 0, renamed: 0, present: 0, taken: 0, refused: 0 }
  return { ...rows, clicks: 0, labelsCut: 0, noticed: 0 }
}

type Imported = {
  source: Source
  unused: readonly string[]
  counts: { labelsCut?: number }
}

/** Returns the text about a value that a created link lost. */
export function formatNotice(problem: Problem): string {
  return `imported without this value: ${formatProblem(problem, 'en')}`
}

/** Returns notices about the first rows, and how many others there are. */
export function listRowNotices(notices: readonly RowProblem[], count: number): string[] {
  const texts = notices.map(
    ({ row, alias, problem }) => `Row ${row} (${alias}): ${formatNotice(problem)}`,
  )
  const others = count - notices.length
  return others > 0
    ? [...texts, `${formatCount(others)} more such notices are in the report.`]
    : texts
}

/** Returns notices about an import as sentences. */
export function listNotices({ source, unused, counts }: Imported): string[] {
  const { labelsCut = 0 } = counts
  const notices: string[] = []
  if (unused.length > 0) {
    const label = source === 'csv' || source === 'list' ? 'Ignored columns' : 'Ignored fields'
    notices.push(`${label}: ${unused.join(', ')}.`)
  }
  if (labelsCut > 0) {
    const links = labelsCut === 1 ? '1 link' : `${formatCount(labelsCut)} links`
    notices.push(
      `Some referrers, browsers or systems of ${links} were counted as "Other": an account can import up to ${formatCount(MAX_NEW_LABELS)} new names.`,
    )
  }
  return notices
}

function formatCount(number: number): string {
  return number.toLocaleString('en-US')
}
