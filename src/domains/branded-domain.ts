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
}
