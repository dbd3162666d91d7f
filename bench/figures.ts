/** One measured number and, where there is one, the goal that it has to reach. */
export type Figure = {
  name: string
  value: number
  unit: string
  goal?: { atLeast: number } | { atMost: number }
}

/** What a section is given: where it tells how far it is, and whether it should only be tried out. */
export type Bench = {
  /** Prints a line of progress; throws once the run has been interrupted. */
  log: (line: string) => void
  /** Shorter runs and smaller tables, for trying the benchmark itself. */
  quick: boolean
}

export type Section = (bench: Bench) => Promise<Figure[]>

/** Whether a figure reaches its goal; undefined for one without. */
export function isReached({ value, goal }: Figure): boolean | undefined {
  if (!goal) return undefined
  return 'atLeast' in goal ? value >= goal.atLeast : value <= goal.atMost
}

/** The middle one of some numbers. */
export function median(values: readonly number[]): number {
  return percentile(values, 50)
}

/** The smallest of some numbers that at least `percent` of them do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = Math.ceil((percent / 100) * sorted.length)
  return sorted[Math.max(0, rank - 1)] ?? Number.NaN
}

/** Figures as a table of Markdown, which is also fit for a terminal. */
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
