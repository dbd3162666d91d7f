import type { FieldNames } from '../../errors.ts'

/** What this API calls the fields of the domain, where that differs. */
export const fieldNames = {
  alias: 'custom_url',
  expiresAt: 'expiry_date',
  domain: 'base_domain',
} as const satisfies FieldNames
