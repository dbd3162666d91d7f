import type { FastifyRequest } from 'fastify'
import type { KeyReach } from '../../links/key-links.ts'

/**
 * Returns the account and domain whose links the request's key can access, and the key as the author
 * of changes.
 */
export function toKeyReach(
  { account, key }: Pick<FastifyRequest, 'account' | 'key'>,
  surface: 'api' | 'legacy-api' | 'yourls-api',
): KeyReach {
  return { accountId: account.id, domain: key.domain, actor: { surface, id: key.id } }
}
