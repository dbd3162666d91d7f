import type { Brand } from './brand.ts'

/** Whether a domain points to this service, points elsewhere, or has no IP address. */
export type DnsState = 'here' | 'elsewhere' | 'missing'

/** A registered host that has its own short links. */
export type BrandedDomain = {
  id: number
  accountId: number
  host: string
  origin: string
  redirectRoot: string | null
  redirect404: string | null
  /** The URL to which visitors of expired links are redirected. */
  expiredUrl: string | null
  /** Whether its links forward the visitor's query and path by default. */
  forwardQuery: boolean
  forwardPath: boolean
  /** The result of the last check. Only set if the domain is read for its owner. */
  dnsState?: DnsState | null
  dnsCheckedAt?: Date | null
  /** The brand of visitor pages. Only set if the domain is read for visits. */
  brand?: Brand
}
