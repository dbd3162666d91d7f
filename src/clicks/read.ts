/** The public functions that read statistics and check their counts. */
export {
  AUTOMATED_LABEL,
  NOT_AUTOMATED_LABEL,
  SCAN_LABEL,
  UNKNOWN_LABEL,
} from './encoding/fixed-labels.ts'
export { OTHER_LABEL } from './encoding/label-counts.ts'
export type { LabelList } from './encoding/label-kinds.ts'
export { UNCOUNTED_KINDS, type UncountedKind } from './encoding/uncounted-visits.ts'
export { readImportFailure } from './import/import-failure.ts'
export { createImportState, type ImportState } from './import/import-state.ts'
export { countDamagedSegments, inspectJournal } from './journal/inspect.ts'
export { KEPT_FOLDER } from './journal/kept-segments.ts'
export { openJournalFolder } from './journal/segments.ts'
export { checkStatistics, type Discrepancy } from './maintenance/check.ts'
export { type ComparisonName, comparisons, readComparison } from './statistics/compared-period.ts'
export { classifyReadFailure, ifAvailable } from './statistics/if-available.ts'
export {
  type FilterName,
  filterNames,
  filterOfList,
  type LabelFilters,
  readFilters,
} from './statistics/label-filters.ts'
export type { NotCounted, UncountedName } from './statistics/not-counted.ts'
export {
  dayOf,
  formatDay,
  type Interval,
  listSteps,
  type Period,
  type PeriodQuery,
  readPeriod,
  type Step,
} from './statistics/period.ts'
export {
  type Calendar,
  type Choice,
  type ChoiceQuery,
  findAdjacentSpan,
  findPresetWithDay,
  findSpanBefore,
  listIntervals,
  type PresetName,
  presetNames,
  readChoice,
  type Span,
  toChoiceParameters,
  zoomInto,
} from './statistics/period-choice.ts'
export {
  countClicksOfAccount,
  type LinkClicks,
  readAccountCounts,
  readClickedDays,
  readDailyClicks,
  readImportedClicks,
} from './statistics/periods.ts'
export type { PeriodStatistics } from './statistics/present.ts'
export { readRecentVisitors } from './statistics/recent-visitors.ts'
export { readScans } from './statistics/scans.ts'
export type { ClickScope } from './statistics/scope.ts'
export { findLabelNames } from './statistics/statistics.queries.ts'
export { readLinkStatistics, type Statistics } from './statistics/statistics.ts'
export type { LabelClicks } from './statistics/top-labels.ts'
export { readTotals, sumTotals, type Totals } from './statistics/totals.queries.ts'
export { readUnlistedPrograms, type UnlistedProgram } from './statistics/unlisted-programs.ts'
export { iterateNamedLabels, unpackDay } from './statistics/unpack-day.ts'
export {
  firstFilteredDay,
  readStatistics,
  type StatisticsView,
  type ViewInput,
} from './statistics/view.ts'
export { readZone, startOfDay, toLocalTime, UTC } from './statistics/zone.ts'
