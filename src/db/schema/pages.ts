import type { Generated } from 'kysely'
import type { CreatedAt, Json, JsonDefault } from './columns.ts'

export type SplashPageTable = {
  id: Generated<number>
  account_id: number
  name: string
  title: string
  message: string
  image: string | null
  link: string | null
  seconds: number | null
  created_at: CreatedAt
}

export type OverlayType = 'contact' | 'poll' | 'message' | 'newsletter' | 'image'

export type OverlayTable = {
  id: Generated<number>
  account_id: number
  type: OverlayType
  name: string
  text: string
  button: string | null
  link: string | null
  image: string | null
  options: JsonDefault<string[]>
  created_at: CreatedAt
}

export type OverlayAnswerTable = {
  id: Generated<number>
  overlay_id: number
  link_id: number | null
  answer: Json<Record<string, string>>
  created_at: CreatedAt
  account_id: number | null
}

/**
 * A button. `linkId` is the link that counts its clicks, if there is one. `alias` is set if that
 * link belongs to the page.
 */
export type BioLink = { title: string; url: string; linkId?: number; alias?: string }

export type BioPageTable = {
  id: Generated<number>
  account_id: number
  alias: string
  title: string
  text: Generated<string>
  links: JsonDefault<BioLink[]>
  theme: Generated<'auto' | 'light' | 'dark' | 'color'>
  color: Generated<string>
  picture: Buffer | null
  picture_hash: string | null
  created_at: CreatedAt
}
