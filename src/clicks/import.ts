/** The public functions that write clicks to the database and delete them. */

export { type ClickReceiver, createHandOver } from './edge/hand-over.ts'
export { createReceivedClicks, type ReceivedClicks } from './edge/received-clicks.ts'
export type { HandOver } from './edge/wire.ts'
export { MAX_LABELS, OTHER_LABEL as OTHER } from './encoding/label-counts.ts'
export type { LabelList } from './encoding/label-kinds.ts'
export { byList, labelLists, partialLists } from './encoding/label-kinds.ts'
export { toLabelText } from './encoding/label-text.ts'
export { visitorNumber } from './encoding/raw-clicks.ts'
export type { OnClicks } from './import/batch-writer.ts'
export { createDescribeClick, type DescribeClick } from './import/describe.ts'
export { addHistory } from './import/history.queries.ts'
export {
  createImporter,
  type Importer,
  type ImporterOptions,
} from './import/importer.ts'
export { createLabelIds, type LabelIds } from './import/label-ids.ts'
export { countIntroduced } from './import/labels.queries.ts'
export { type History, type HistoryDay, listNames } from './import/pack-history.ts'
export { distribute } from './maintenance/distribute.ts'
export type { PeriodicTask } from './maintenance/housekeeping.ts'
export { purgeRemovedClicks } from './maintenance/purge.ts'
export {
  firstDay,
  monthOf,
  partitionMonth,
  partitionName,
} from './storage/months.ts'
export { listPartitions } from './storage/partitions.queries.ts'
export { addPartitions } from './storage/partitions.ts'
export { removeClicks } from './storage/removed-links.queries.ts'
