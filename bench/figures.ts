/** A measured number, with its goal if it has one. */
export type Figure = {
  name: string
  value: number
  unit: string
  goal?: { atLeast: number } | { atMost: number }
}

/** The options of a section. */
export type Bench = {
  /** Prints a line of progress. Throws after an interruption. */
  log: (line: string) => void
  /** Uses shorter runs and smaller tables, to test the benchmark itself. */
  quick: boolean
}

export type Section = (bench: Bench) => Promise<Figure[]>

/** Returns whether a figure reaches its goal, or undefined without a goal. */
export function isReached({ value, goal }: Figure): boolean | undefined {
  if (!goal) return undefined
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}

/** Returns the median. */
export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** Returns the smallest number that at least `percent` of them do not exceed. */
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
  const all = [['figure', 'measured', 'goal'], ...rows]
  const widths = [0, 1, 2].map((column) =>
    Math.max(...all.map((row) => (row[column] ?? '').length)),
  )
  const line = (cells: readonly string[], fill = ' ') =>
    `| ${widths.map((width, column) => (cells[column] ?? '').padEnd(width, fill)).join(' | ')} |`
  return [line(all[0] ?? []), line([], '-'), ...rows.map((row) => line(row))].join('\n')
}

function formatGoal(figure: Figure): string {
  const { goal, unit } = figure
  if (!goal) return ''
  const bound =
    'atLeast' in goal ? `≥ ${formatNumber(goal.atLeast)}` : `≤ ${formatNumber(goal.atMost)}`
  return `${bound} ${unit}`.trim() + (isReached(figure) ? '' : ' (missed)')
}

function formatNumber(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return value.toLocaleString('en-US', { maximumFractionDigits: digits })
}
