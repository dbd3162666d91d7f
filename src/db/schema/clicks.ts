import type { ColumnType, Generated } from 'kysely'

export type LabelTable = {
  id: Generated<number>
  name: string
  account_id: number | null
  unused_since: Date | null
}

export type JournalPositionTable = {
  segment: string
  position: number
  updated_at: ColumnType<Date, Date | undefined, Date>
}

export type ClickTotalTable = {
  link_id: number
  clicks: Generated<number>
  last_click_at: Date | null
}

export type ClickDayTable = {
  link_id: number
  day: string
  clicks: number
  visitors: number
  hours: Buffer
  labels: Buffer
}

export type AccountDayTable = {
  account_id: number
  day: string
  clicks: number
  visitors: number
  hours: Buffer
  labels: Buffer
  links: Buffer
}

/** The packed columns are described in `label-counts.ts` and `visitor-set.ts`. */
export type ClickDetailTable = { link_id: number; labels: Buffer; visitors: number; hashes: Buffer }

export type ClickVisitorTable = { link_id: number; bucket: number; hashes: Buffer }

/** `blocks` is described in `raw-clicks.ts`. */
export type ClickTable = {
  account_id: number
  link_id: number
  day: string
  clicks: number
  blocks: Buffer
}

export type ClickImportTable = {
  link_id: number
  clicks: number
  first_day: string
  last_day: string
}
