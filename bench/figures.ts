/** A measured value, with an optional goal. */
export type Figure = {
  name: string
  value: number
  unit: string
  goal?: { atLeast: number } | { atMost: number }
}

/** The options of a benchmark section. */
export type BenchOptions = {
  /** Prints a line of progress. Throws after an interruption. */
  log: (line: string) => void
  /** Whether to use short runs and small tables, to test the benchmark itself. */
  quick: boolean
}

export type Section = (bench: BenchOptions) => Promise<Figure[]>

/** Returns whether a figure meets its goal, or undefined if it has none. */
export function meetsGoal({ value, goal }: Figure): boolean | undefined {
  if (!goal) return undefined
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}

export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** Returns the smallest value that is at least as large as `percent` percent of the values. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = Math.ceil((percent / 100) * sorted.length)
  return sorted[Math.max(0, rank - 1)] ?? Number.NaN
}

/** Formats figures as a Markdown table, which is also readable in a terminal. */
export function toTable(figures: readonly Figure[]): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${formatNumber(figure.value)} ${figure.unit}`.trim(),
    formatGoal(figure),
  ])
  const allRows = [['figure', 'measured', 'goal'], ...rows]
  const widths = [0, 1, 2].map((column) =>
    Math.max(...allRows.map((row) => (row[column] ?? '').length)),
  )
  const formatLine = (cells: readonly string[], fill = ' ') =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  return [
    formatLine(allRows[0] ?? []),
    formatLine([], '-'),
    ...rows.map((row) => formatLine(row)),
  ].join('\n')
}

function formatGoal(figure: Figure): string {
  const { goal, unit } = figure
  if (!goal) return ''
  const bound =
    'atLeast' in goal ? `≥ ${formatNumber(goal.atLeast)}` : `≤ ${formatNumber(goal.atMost)}`
  return `${bound} ${unit}`.trim() + (meetsGoal(figure) ? '' : ' (missed)')
}

function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}
