import type { FieldNames } from '../../errors.ts'

/** This API's names of internal fields, where they differ. */
export const fieldNames = {
  alias: 'custom_url',
  expiresAt: 'expiry_date',
  domain: 'base_domain',
} as const satisfies FieldNames
