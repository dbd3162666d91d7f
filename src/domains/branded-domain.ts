/** A registered host whose links are found under it. */
export type BrandedDomain = {
  id: number
  accountId: number
  host: string
  origin: string
  redirectRoot: string | null
  redirect404: string | null
}
