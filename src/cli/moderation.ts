import { countLinksToHost, listBlockedHosts } from '../blocked-hosts/blocked-host.service.ts'
import type { BlockedHost } from '../blocked-hosts/blocked-host.ts'
import { listHeldLinks } from '../holds/hold.service.ts'
import type { HeldLink, HoldDecision } from '../holds/hold.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import type { LinkStatus } from '../links/link.ts'
import { getAnyGuesses } from '../links/link-moderation.ts'
import {
  blockHost,
  changeLinkStatus,
  decideHold,
  unblockHost,
} from '../operator/moderation.service.ts'
import { COMMAND_LINE } from '../operator-log/operator-log.service.ts'
import { type CommandContext, defineCommand } from './command.ts'
import { readAllPages } from './context.ts'
import { parseId } from './values.ts'

export const linkDisable = defineCommand({
  summary: 'disable any link within a second; its owner cannot enable it again',
  required: { url: 'the short URL' },
  optional: { reason: 'the reason that its owner sees, up to 200 characters' },
  operands: ['url'],
  run: (context, { url, reason }) => setStatus(context, url, 'disabled', reason),
})

export const linkEnable = defineCommand({
  summary: 'enable a link again',
  required: { url: 'the short URL' },
  operands: ['url'],
  run: (context, { url }) => setStatus(context, url, 'active'),
})

export const linkGuesses = defineCommand({
  summary: 'show recent wrong passwords of a link, and how long further tries are blocked',
  required: { url: 'the short URL' },
  operands: ['url'],
  run: async (context, { url }) => {
    const ctx = await context.connect()
    const { id, email, shortUrl, guesses } = await getAnyGuesses(ctx, ctx.db, url)
    const { wrong, waitsUntil, knownVisitors } = guesses
    const until = waitsUntil && formatTimestamp(waitsUntil)
    return {
      id,
      account: email,
      shorturl: shortUrl,
      wrong,
      waitsuntil: until,
      known: knownVisitors,
    }
  },
})

export const linkHeld = defineCommand({
  summary: 'list deleted links whose aliases and destinations are reserved, and why',
  flags: { confirmed: 'list confirmed holds instead of undecided ones' },
  async run(context, { confirmed }) {
    const ctx = await context.connect()
    const filter = { confirmed: confirmed !== undefined }
    return {
      links: (await readAllPages((page) => listHeldLinks(ctx, ctx.db, filter, page))).map(
        presentHeld,
      ),
    }
  },
})

export const linkConfirm = defineCommand({
  summary: 'keep the alias and destinations of a held link reserved',
  required: { id: 'the id of the link, from link held' },
  operands: ['id'],
  run: (context, { id }) => decide(context, id, 'confirm'),
})

export const linkRelease = defineCommand({
  summary: 'release the alias and destinations of a held link',
  required: { id: 'the id of the link, from link held' },
  operands: ['id'],
  run: (context, { id }) => decide(context, id, 'release'),
})

async function decide(context: CommandContext, id: string, decision: HoldDecision) {
  const ctx = await context.connect()
  const heldLink = await decideHold(ctx, ctx.db, COMMAND_LINE, parseId('id', id), decision)
  return { ...presentHeld(heldLink), decision }
}

function presentHeld(heldLink: HeldLink) {
  const { id, shortUrl, formerAliases, destinations, account, deletedAt, disabled, reports } =
    heldLink
  return {
    id,
    shorturl: shortUrl,
    formeraliases: formerAliases,
    destinations,
    account: account.username,
    deleted: formatTimestamp(deletedAt),
    disabled: disabled && formatTimestamp(disabled.at),
    reason: disabled?.reason ?? null,
    reports: reports.map(({ counts }) => counts),
  }
}

async function setStatus(
  context: CommandContext,
  enteredUrl: string,
  newStatus: LinkStatus,
  reason?: string,
) {
  const ctx = await context.connect()
  const link = await changeLinkStatus(ctx, ctx.db, COMMAND_LINE, enteredUrl, {
    status: newStatus,
    reason,
  })
  const { id, email, shortUrl, url, status, hasChanged } = link
  return { id, account: email, shorturl: shortUrl, longurl: url, status, changed: hasChanged }
}

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
