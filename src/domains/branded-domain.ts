import type { Brand } from './brand.ts'

/** Whether a domain points here, points elsewhere, or has no address. */
export type DnsState = 'here' | 'elsewhere' | 'missing'

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
  /** Where it pointed at its last check, in domains that are read for their owner. */
  dnsState?: DnsState | null
  dnsCheckedAt?: Date | null
  /** The look of visitor pages, in domains that are read for visits. */
  brand?: Brand
}
