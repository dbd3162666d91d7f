import { boundTo, type KeyDomain } from '../accounts/key-scope.ts'
import { namedHost } from '../domains/hosts.ts'
import { AppError } from '../errors.ts'
import type { Links } from './link.service.ts'
import type { Link } from './link.ts'
import { parseShortLink, shortUrlOf } from './short-url.ts'

/** What the APIs do with the links that a key reaches. */
export type KeyLinks = Pick<
  Links,
  | 'get'
  | 'list'
  | 'findByShortLink'
  | 'activeShortUrls'
  | 'prepare'
  | 'create'
  | 'update'
  | 'setStatus'
  | 'delete'
>

/**
 * Limits an account's links to those on one of its domains. Links elsewhere do not exist, links are
 * created on the domain unless another one is named, and creating or moving a link elsewhere throws
 * AppError `key_bound`.
 */
export function limitToDomain(links: Links, domain: KeyDomain): KeyLinks {
  async function get(accountId: number, id: number): Promise<Link> {
    const link = await links.get(accountId, id)
    if (link.domainId !== domain.id) throw new AppError('not_found')
    return link
  }

  const isElsewhere = (named: string) => namedHost(named) !== domain.host

  return {
    get,

    list: (accountId, { filter, ...page }) =>
      links.list(accountId, { ...page, filter: { ...filter, domainId: domain.id } }),

    async findByShortLink(accountId, text) {
      const named = parseShortLink(text)
      const isAlias = named !== undefined && named.host === undefined
      const here = isAlias ? shortUrlOf(domain.origin, named.alias) : text
      const link = await links.findByShortLink(accountId, here)
      return link?.domainId === domain.id ? link : undefined
    },

    activeShortUrls: (accountId) => links.activeShortUrls(accountId, domain.id),

    create: (accountId, input) => links.create(accountId, input, domain),

    prepare: (accountId, inputs) => links.prepare(accountId, inputs, domain),

    async update(accountId, id, input) {
      await get(accountId, id)
      // Null moves a link to the service's own host.
      if (input.domain === null || (input.domain && isElsewhere(input.domain))) {
        throw boundTo(domain, 'it cannot move links to another domain')
      }
      return links.update(accountId, id, input)
    },

    async setStatus(accountId, id, status) {
      await get(accountId, id)
      return links.setStatus(accountId, id, status)
    },

    async delete(accountId, id) {
      await get(accountId, id)
      return links.delete(accountId, id)
    },
  }
}
