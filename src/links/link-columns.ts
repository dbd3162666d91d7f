import { COLUMN_NAMES } from './fields.ts'

/** The columns that both owners and visits need. */
export const LINK_COLUMNS = [
  'links.id',
  'links.alias',
  'links.status',
  'links.used_up_at',
  'links.ends_at',
  'links.created_at',
  ...COLUMN_NAMES.map((name) => `links.${name}` as const),
  'domains.origin',
] as const
