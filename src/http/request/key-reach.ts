import type { FastifyRequest } from 'fastify'
import type { KeyReach } from '../../links/key-links.ts'

/** Returns which links the request's key can access. */
export function toKeyReach(
  { account, key }: Pick<FastifyRequest, 'account' | 'key'>,
  surface: 'api' | 'legacy-api' | 'yourls-api',
): KeyReach {
  return { accountId: account.id, domain: key.domain, actor: { surface, id: key.id } }
}
