import { invalid } from '../../errors.ts'
import type { LinkInput } from '../../links/link-input.ts'
import type { LegacyCall } from './grammar.ts'

/**
 * Converts a call's parameters to a `LinkInput`.
 *
 * @throws AppError `invalid_input` with the name of the field
 */
export function readLinkInput({
  url,
  customUrl,
  password,
  expiryDate,
  baseDomain,
}: Extract<LegacyCall, { operation: 'create' }>): LinkInput {
  if (password?.includes('\0')) throw invalid('password', 'nul_characters')
  if (expiryDate !== undefined && !/^\d{4}-\d\d-\d\d$/.test(expiryDate)) {
    throw invalid('expiresAt', 'day_form')
  }
  return { url, alias: customUrl, password, expiresAt: expiryDate, domain: baseDomain }
}
