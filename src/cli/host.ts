import { countLinksToHost, listBlockedHosts } from '../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../blocked-hosts/blocked-host.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { blockHost, unblockHost } from '../operator/host-actions.service.ts'
import { COMMAND_LINE } from '../operator/operator-log.service.ts'
import { command } from './command.ts'
import { allPages } from './owner.ts'

export const hostBlock = command({
  summary: 'let no link lead to a host, neither new ones nor, from the next second on, old ones',
  required: { host: 'a host, a URL on it, or *. and a host for all that is below it as well' },
  optional: { reason: 'what is kept of it for the operator, up to 200 characters' },
  flags: { subdomains: 'everything below the host as well' },
  operands: ['host'],
  async run(context, { host, reason, subdomains }) {
    const ctx = await context.connect()
    const wanted = { host, subdomains: subdomains !== undefined, reason }
    const blocked = await blockHost(ctx, ctx.db, COMMAND_LINE, wanted)
    const links = await countLinksToHost(ctx.db, blocked.host, blocked.subdomains)
    return { ...present(blocked), links: links ? links.count : null }
  },
})

export const hostUnblock = command({
  summary: 'let links lead to a host again',
  required: { host: 'the host' },
  operands: ['host'],
  async run(context, { host }) {
    const ctx = await context.connect()
    const unblocked = await unblockHost(ctx, ctx.db, COMMAND_LINE, host)
    return { host: unblocked.host, blocked: false }
  },
})

export const hostList = command({
  summary: 'show the hosts that no link may lead to',
  async run(context) {
    const ctx = await context.connect()
    return { hosts: (await allPages((page) => listBlockedHosts(ctx.db, page))).map(present) }
  },
})

function present({ host, subdomains, reason, by, at }: BlockedHost) {
  return { host, subdomains, reason, by, blocked: formatTimestamp(at) }
}
