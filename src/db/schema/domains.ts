import type { Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

export type DomainTable = {
  id: Generated<number>
  account_id: number
  host: string
  origin: string
  redirect_root: string | null
  redirect_404: string | null
  expired_url: string | null
  forward_query: Generated<boolean>
  forward_path: Generated<boolean>
  asset_links: string | null
  app_site_association: string | null
  accent: string | null
  logo: string | null
  footer: Generated<boolean>
  created_at: CreatedAt
  last_checked_at: Date | null
  failing_since: Date | null
  dns_state: 'here' | 'elsewhere' | 'missing' | null
  dns_checked_at: Date | null
}
