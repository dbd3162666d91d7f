import { countLinksToHost, listBlockedHosts } from '../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../blocked-hosts/blocked-host.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { blockHost, unblockHost } from '../operator/host-actions.service.ts'
import { COMMAND_LINE } from '../operator-log/operator-log.service.ts'
import { defineCommand } from './command.ts'
import { readAllPages } from './context.ts'

export const hostBlock = defineCommand({
  summary: 'block a host as a destination of new and existing links, within a second',
  required: { host: 'a host, a URL on it, or *.host to include subdomains' },
  optional: { reason: 'a note for operators, up to 200 characters' },
  flags: { subdomains: 'include subdomains' },
  operands: ['host'],
  async run(context, { host, reason, subdomains }) {
    const ctx = await context.connect()
    const request = { host, subdomains: subdomains !== undefined, reason }
    const blocked = await blockHost(ctx, ctx.db, COMMAND_LINE, request)
    const links = await countLinksToHost(ctx.db, blocked.host, blocked.subdomains)
    return { ...present(blocked), links: links ? links.count : null }
  },
})

export const hostUnblock = defineCommand({
  summary: 'unblock a host',
  required: { host: 'the host' },
  operands: ['host'],
  async run(context, { host }) {
    const ctx = await context.connect()
    const unblocked = await unblockHost(ctx, ctx.db, COMMAND_LINE, host)
    return { host: unblocked.host, blocked: false }
  },
})

export const hostList = defineCommand({
  summary: 'list blocked hosts',
  async run(context) {
    const ctx = await context.connect()
    return { hosts: (await readAllPages((page) => listBlockedHosts(ctx.db, page))).map(present) }
  },
})

function present({ host, subdomains, reason, by, at }: BlockedHost) {
  return { host, subdomains, reason, by, blocked: formatTimestamp(at) }
}
