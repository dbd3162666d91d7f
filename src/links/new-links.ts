import type { Context } from '../context.ts'
import { checkAllAsync, invalid } from '../errors.ts'
import { createBoundKeyError } from '../identity/key-scope.ts'
import type { Scope } from '../scope.ts'
import type { Tag } from '../tags/tag.service.ts'
import { parseHost } from '../urls/host.ts'
import { createFieldRules, readParts } from './fields/link-rules.ts'
import type { LinkRow } from './insert-links.queries.ts'
import type { LinkInput } from './link.ts'
import { readFields, withoutHash } from './read-fields.ts'
import { requireOrder } from './rules/expiry.ts'
import { findNamedDomain } from './short-link.ts'
import { requireFreeForAgent } from './versions/agent-changes.queries.ts'

/** A validated link, ready to be stored. */
export type NewLink = {
  /** If the alias is missing, a random one is assigned. */
  row: Omit<LinkRow, 'alias'> & { alias?: string }
  pixels: readonly number[]
  tags: readonly Tag[]
  /** The origin of the short URL. */
  origin: string
}

/**
 * The maximum number of passwords per request. Hashing each one takes tens of milliseconds of CPU
 * time.
 */
const MAX_PASSWORDS = 20

/**
 * Validates new links and hashes their passwords, outside of any transaction. Each invalid link is
 * rejected separately, with an error naming the field. A key that is bound to a domain creates links
 * on it.
 */
export async function readNewLinks(
  scope: Scope<Context>,
  inputs: readonly LinkInput[],
): Promise<PromiseSettledResult<NewLink>[]> {
  const links: PromiseSettledResult<NewLink>[] = []
  let passwords = 0
  for (const input of inputs) {
    try {
      if (input.password) passwords += 1
      if (input.password && passwords > MAX_PASSWORDS) {
        throw invalid('password', 'too_many_passwords', { max: MAX_PASSWORDS })
      }
      const value = await readNewLink(scope, bindToDomain(scope, input))
      links.push({ status: 'fulfilled', value })
    } catch (reason) {
      links.push({ status: 'rejected', reason })
    }
  }
  return links
}

function bindToDomain({ domain }: Pick<Scope, 'domain'>, input: LinkInput): LinkInput {
  if (!domain) return input
  if (input.domain && parseHost(input.domain) !== domain.host) {
    throw createBoundKeyError(domain, 'rejections.key_bound_creates')
  }
  return { ...input, domain: domain.host }
}

async function readNewLink(scope: Scope<Context>, input: LinkInput): Promise<NewLink> {
  const rules = createFieldRules(scope)
  const [{ alias, pixels, tags }, domain, columns] = await checkAllAsync(
    () => readParts(input, input.domain || scope.config.baseUrl),
    () => findNamedDomain(scope, input.domain),
    (hasFailed) =>
      readFields(input, hasFailed ? withoutHash(rules) : rules, (read) =>
        requireOrder(read.starts_at, read.expires_at),
      ),
  )
  if (alias !== undefined) await requireFreeForAgent(scope, { domainId: domain?.id ?? null, alias })
  const row = { ...columns, url: columns.url ?? '', account_id: scope.accountId }
  return {
    row: { ...row, domain_id: domain?.id ?? null, ...(alias !== undefined && { alias }) },
    pixels: pixels ?? [],
    tags: tags ?? [],
    origin: domain?.origin ?? scope.config.baseUrl,
  }
}
