import type { Generated } from 'kysely'
import type { CreatedAt } from './columns.ts'

export type QrType = 'text' | 'vcard' | 'link' | 'email' | 'phone' | 'sms' | 'wifi'

export type QrCodeTable = {
  id: Generated<number>
  account_id: number
  alias: string
  name: string
  type: QrType
  payload: string | null
  background: string | null
  foreground: string | null
  logo: Buffer | null
  dots: Generated<'square' | 'rounded' | 'dots'>
  eyes: Generated<'square' | 'rounded' | 'circle'>
  caption: string | null
  link_id: number | null
  own_link_id: number | null
  created_at: CreatedAt
}
