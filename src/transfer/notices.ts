import { MAX_NEW_LABELS } from './import-labels.ts'
import type { Source } from './record.ts'

type Imported = {
  source: Source
  unused: readonly string[]
  counts: { labelsCut?: number }
}

/** Returns notices about an import as sentences. */
export function listNotices({ source, unused, counts }: Imported): string[] {
  const { labelsCut = 0 } = counts
  const notices: string[] = []
  if (unused.length > 0) {
    const label = source === 'csv' ? 'Ignored columns' : 'Ignored fields'
    notices.push(`${label}: ${unused.join(', ')}.`)
  }
  if (labelsCut > 0) {
    const links = labelsCut === 1 ? '1 link' : `${formatCount(labelsCut)} links`
    notices.push(
      `Some statistics labels of ${links}, such as referrers, count as "Other": imports can add ${formatCount(MAX_NEW_LABELS)} new label names to an account.`,
    )
  }
  return notices
}

function formatCount(number: number): string {
  return number.toLocaleString('en-US')
}
