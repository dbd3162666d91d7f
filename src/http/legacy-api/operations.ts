import { AppError } from '../../errors.ts'
import type { Link } from '../../links/link.ts'
import type { Services } from '../../services.ts'
import type { LegacyCall } from './grammar.ts'
import { readLinkInput } from './link-input.ts'
import { presentCreated, presentInfo, presentState } from './present.ts'

type SingleLinkCall = Exclude<LegacyCall, { operation: 'list_active_urls' }>

/** What the calls for one link do, as the fields of their replies. `now` is the time of the call. */
export function createOperations({ links }: Pick<Services, 'links'>) {
  /** The account's link of a short URL; one of another account is as unknown as none at all. */
  async function find(accountId: number, shortUrl: string): Promise<Link> {
    const link = await links.findByShortLink(accountId, shortUrl)
    if (!link) throw new AppError('not_found')
    return link
  }

  return async function perform(accountId: number, call: SingleLinkCall, now: Date) {
    switch (call.operation) {
      case 'create':
        return presentCreated(await links.create(accountId, readLinkInput(call)), now)
      case 'disable':
      case 'enable': {
        const { id } = await find(accountId, call.shortUrl)
        const status = call.operation === 'disable' ? 'disabled' : 'active'
        return presentState(await links.setStatus(accountId, id, status), now)
      }
      case 'info':
        return presentInfo(await find(accountId, call.shortUrl), now)
    }
  }
}
