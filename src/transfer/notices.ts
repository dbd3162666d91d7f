import { formatProblem, type Problem } from '../errors.ts'
import { MAX_NEW_LABELS } from './import-labels.ts'
import type { RowProblem } from './progress.ts'
import type { Source } from './record.ts'

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
