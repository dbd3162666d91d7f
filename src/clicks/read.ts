/** The third door: what was clicked, and whether its counts agree. */
export type { LabelList } from './encoding/label-kinds.ts'
export { readImportFailure } from './import/import-failure.ts'
export { createImportState, type ImportState } from './import/import-state.ts'
export { checkStatistics, type Discrepancy } from './maintenance/check.ts'
export { ifAvailable } from './statistics/if-available.ts'
export {
  dayOf,
  formatDay,
  type Interval,
  type Period,
  type PeriodQuery,
  readPeriod,
  type Step,
  stepsOf,
} from './statistics/period.ts'
export {
  type Calendar,
  type Choice,
  type ChoiceQuery,
  choiceParameters,
  currentStep,
  hoursAreKept,
  intervalsFor,
  neighbour,
  presets,
  presetWith,
  readChoice,
  type Span,
  spanBefore,
  zoomInto,
} from './statistics/period-choice.ts'
export {
  createPeriods,
  type LabelClicks,
  type LinkClicks,
  type PeriodStatistics,
} from './statistics/periods.ts'
export { findLabelNames } from './statistics/statistics.queries.ts'
export { createStatistics, type Statistics } from './statistics/statistics.ts'
export { readTotals } from './statistics/totals.queries.ts'
export { namedLabels, unpackDay } from './statistics/unpack-day.ts'
