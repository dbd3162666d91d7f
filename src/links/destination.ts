import type { BlockList } from '../blocked-hosts/block-list.ts'
import type { Hosts } from '../domains/hosts.ts'
import { type AppError, invalid } from '../errors.ts'
import { isWebUrl, parseDestinationUrl } from '../urls/destination-url.ts'

type Context = { hosts: Pick<Hosts, 'isOurs'>; blockList: Pick<BlockList, 'check'> }

/**
 * Returns a destination in stored form. A destination must not be on a blocked host, and not on the
 * service's own hosts, because links to links could form a loop. Throws `invalid_input` naming
 * `field`.
 */
export async function checkDestination(
  { hosts, blockList }: Context,
  field: string,
  value: string,
): Promise<string> {
  const url = parseDestinationUrl(field, value)
  if (isWebUrl(url) && (await hosts.isOurs(url.host))) throw createServiceUrlError(field)
  await blockList.check(field, url)
  return url.href
}

export function createServiceUrlError(field: string): AppError {
  return invalid(field, 'service_url')
}
