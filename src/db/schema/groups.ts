import type { Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

export type CampaignTable = {
  id: Generated<number>
  account_id: number
  name: string
  slug: string | null
  public: Generated<boolean>
  created_at: CreatedAt
}

export type CampaignLinkTable = { id: Generated<number>; campaign_id: number; link_id: number }

export type SharedStatisticsTable = {
  id: Generated<number>
  account_id: number
  token: string
  link_id: number | null
  campaign_id: number | null
  time_zone: string
  created_at: CreatedAt
}

export type ChannelTable = {
  id: Generated<number>
  account_id: number
  name: string
  description: Generated<string>
  color: Generated<string>
  starred: Generated<boolean>
  created_at: CreatedAt
}

export type ChannelItemTable = {
  id: Generated<number>
  channel_id: number
  link_id: number | null
  bio_id: number | null
  qr_id: number | null
}
