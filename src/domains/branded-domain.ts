import type { Brand } from './brand.ts'

/** A registered host with short links of its own. */
export type BrandedDomain = {
  id: number
  accountId: number
  host: string
  origin: string
  redirectRoot: string | null
  redirect404: string | null
  /** Where visitors of its expired links go. */
  expiredUrl: string | null
  /** Whether its links forward the visitor's query and path, unless they say otherwise. */
  forwardQuery: boolean
  forwardPath: boolean
  /** The look of visitor pages, in domains that are read for visits. */
  brand?: Brand
}
