import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ClickRecord } from '../../clicks/append.ts'
import { lazy } from '../../concurrency/memo.ts'
import type { HttpContext } from '../../context.ts'
import type { Host } from '../../domains/hosts.ts'
import { type Decision, decide, decideExpired } from '../../links/decide.ts'
import { isForwardablePath, listForwardingAliases } from '../../links/forwarding.ts'
import type { VisitLink } from '../../links/link.ts'
import { consumeClick } from '../../links/link-uses.ts'
import { blockedPage, disabledPage, expiredPage, notActivePage } from '../../pages/notice.ts'
import { passwordPage, passwordPolicy } from '../../pages/password.ts'
import { normalizeAlias } from '../../urls/alias.ts'
import { lacksBrowserHeaders } from '../../visitors/automated.ts'
import { parseReferrerOrigin } from '../../visitors/referrer.ts'
import { createVisitorHash } from '../../visitors/visitor-hash.ts'
import { sendNotFound } from '../html/not-found.ts'
import { sendVisitorPage } from '../html/send-page.ts'
import { sendConfirmation, sendDestinationPage } from './destination-pages.ts'
import { buildReportPath } from './reports.ts'
import {
  buildFormAction,
  findUncountedReason,
  isScan,
  readForwardedParts,
  readPathAndQuery,
  toVisitor,
} from './request-parts.ts'

export type Visit = ReturnType<typeof createVisit>

/** Handles visits: resolves the link, decides the outcome, records the click, and replies. */
export function createVisit(ctx: HttpContext) {
  const { clock, country, clients, hosts, journal, counters, visitLinks, instance } = ctx
  const visitorHash = lazy(() => createVisitorHash(instance.visitorKey))
  const hashVisitor = (address: string, userAgent: string) => visitorHash()(address, userAgent)

  /**
   * Handles a visit to an alias: synchronously if the link is cached, otherwise after looking it up in
   * the link store or the database.
   */
  function handle(request: FastifyRequest, reply: FastifyReply, alias: string): unknown {
    const host = hosts.peek(request.headers.host ?? '')
    if (host && host.kind !== 'unknown') {
      if (host.kind === 'domain') request.visitedHost = host
      const link = visitLinks.peek(getDomainId(host), alias)
      if (link) return follow(request, reply, link)
    }
    return handleUncached(request, reply, alias)
  }

  async function handleUncached(request: FastifyRequest, reply: FastifyReply, rawAlias: string) {
    const { host, link } = await find(request, rawAlias)
    return link ? followAsync(request, reply, link) : sendNotFound(ctx, reply, host)
  }

  /** Calls `follow` from an asynchronous handler. Resolves when the reply has been sent. */
  async function followAsync(
    request: FastifyRequest,
    reply: FastifyReply,
    link: VisitLink,
    options: { unlocked?: boolean } = {},
  ): Promise<FastifyReply> {
    await new Promise<void>((resolve) => {
      follow(request, reply, link, { ...options, onSent: resolve })
    })
    return reply
  }

  /**
   * Returns the host of a request and its link: the one with this alias or, unless the alias
   * `isWhole`, one that forwards the rest of the path, or else a similar one. The link is null if
   * there is none. Sets `visitedHost`. Throws AppError `database_unavailable`.
   */
  async function find(
    request: FastifyRequest,
    rawAlias: string,
    { isWhole = !request.is404 }: { isWhole?: boolean } = {},
  ) {
    const host = await hosts.resolve(request.headers.host ?? '')
    request.visitedHost = host
    if (host.kind === 'unknown') return { host, link: null }
    const domainId = getDomainId(host)
    const link = isWhole
      ? await findExact(domainId, rawAlias)
      : await findOnPath(domainId, rawAlias, readPathAndQuery(request).path)
    return { host, link: link ?? (await findSimilar(request, domainId, rawAlias)) }
  }

  /** Returns the link with a similar alias, unless it forwards the rest of the path but must not. */
  async function findSimilar(request: FastifyRequest, domainId: number | null, rawAlias: string) {
    const link = await visitLinks.findSimilar(domainId, rawAlias)
    const isRejected =
      link?.forwarding?.path && !isForwardablePath(readForwardedParts(request, link.alias).path)
    return isRejected ? null : link
  }

  async function findExact(domainId: number | null, rawAlias: string) {
    const alias = normalizeAlias(rawAlias)
    return alias === undefined ? null : visitLinks.find(domainId, alias)
  }

  /**
   * Returns the link with this alias or, failing that, the one with the longest alias that forwards
   * the rest of the encoded path. Trusts the link store that there is no exact alias if there is a
   * link that forwards, so that such visits need no database.
   */
  async function findOnPath(domainId: number | null, rawAlias: string, path: string) {
    const alias = normalizeAlias(rawAlias)
    const isUnstored = alias === undefined || visitLinks.isUnstored(domainId, alias)
    return (
      (isUnstored ? null : await visitLinks.find(domainId, alias)) ??
      (await findForwarding(domainId, path)) ??
      (isUnstored ? await findExact(domainId, rawAlias) : null)
    )
  }

  /** Returns the link with the longest alias that forwards the rest of an encoded path, or null. */
  async function findForwarding(domainId: number | null, path: string) {
    const aliases = listForwardingAliases(path)
    const stored = aliases.filter((alias) => !visitLinks.isUnstored(domainId, alias))
    const find = async (list: readonly string[]) => {
      const links = await Promise.all(list.map((alias) => visitLinks.find(domainId, alias)))
      return links.find((link) => link?.forwarding?.path) ?? null
    }
    return (await find(stored)) ?? (stored.length < aliases.length ? find(aliases) : null)
  }

  /**
   * Replies according to the link's settings. Records a click if the reply shows or opens the
   * destination. For a link with a click limit, this uses up one click, and crawlers get a page
   * without the destination instead, as do HEAD requests and prefetches. HEAD requests and prefetches
   * are recorded as visits that do not count. Links that forward to another link, which records the
   * visit itself, record nothing.
   */
  function follow(
    request: FastifyRequest,
    reply: FastifyReply,
    link: VisitLink,
    { unlocked = false, onSent }: { unlocked?: boolean; onSent?: () => void } = {},
  ): void {
    const now = clock()
    const decision = decide(link, toVisitor(request, link, country, hashVisitor, clients), now, {
      unlocked,
    })
    const send = (result = decision) => {
      // An error thrown in a callback of the journal would end the process.
      try {
        sendOutcome(reply, link, result)
      } catch (error) {
        reply.send(error)
      }
      onSent?.()
    }
    const isLimited = link.lifetime?.isLimited === true
    if (!('destination' in decision)) {
      send()
      return
    }
    // Whoever uses no click is not told where the link leads.
    const sendUncounted = () => send(isLimited ? { kind: 'confirm' } : decision)
    if (link.isForward) {
      sendUncounted()
      return
    }
    const at = now.getTime()
    const uncounted = findUncountedReason(request, link, clients)
    if (uncounted) {
      record(request, link, { at, ...uncounted }, sendUncounted)
      return
    }
    const click = { at, variant: decision.variant }
    if (isLimited) {
      consumeClick(ctx, ctx.db, link.id).then(
        (hasClickLeft) =>
          hasClickLeft ? record(request, link, click, send) : send(decideExpired(link)),
        (error: unknown) => {
          reply.send(error)
          onSent?.()
        },
      )
      return
    }
    record(request, link, click, send)
  }

  function record(
    request: FastifyRequest,
    link: VisitLink,
    { at, variant, uncounted }: Pick<ClickRecord, 'at' | 'variant' | 'uncounted'>,
    onRecorded: () => void,
  ): void {
    const { headers, ip, reportedCountry } = request
    journal.append(
      {
        linkId: link.id,
        at,
        address: ip,
        userAgent: headers['user-agent'] ?? '',
        referrer: parseReferrerOrigin(headers.referer),
        languages: headers['accept-language'] ?? '',
        variant,
        country: reportedCountry,
        isScan: isScan(request, link),
        lacksBrowserHeaders: lacksBrowserHeaders(request),
        uncounted,
      },
      onRecorded,
    )
  }

  /** Returns the outcome of a visit as if its password were verified. Does not record the visit. */
  function decideUnlocked(request: FastifyRequest, link: VisitLink): Decision {
    return decide(link, toVisitor(request, link, country, hashVisitor, clients), clock(), {
      unlocked: true,
    })
  }

  function sendOutcome(reply: FastifyReply, link: VisitLink, decision: Decision): void {
    counters.visitDurations.record(performance.now() - reply.request.startedAt)
    switch (decision.kind) {
      case 'redirect':
        counters.visits.redirect += 1
        redirect(reply, decision.destination)
        return
      case 'disabled':
        counters.visits.disabled += 1
        sendVisitorPage(
          reply,
          (context) => disabledPage({ ...context, reportPath: buildReportPath(link) }),
          {
            status: 410,
          },
        )
        return
      case 'blocked':
        counters.visits.disabled += 1
        sendVisitorPage(reply, (context) => blockedPage(context), { status: 410 })
        return
      case 'not-active':
        counters.visits.not_found += 1
        sendVisitorPage(reply, (context) => notActivePage(context), { status: 404 })
        return
      case 'expired':
      case 'unfollowable':
        counters.visits.expired += 1
        if (decision.kind === 'expired' && decision.redirectUrl !== undefined) {
          redirect(reply, decision.redirectUrl)
          return
        }
        sendVisitorPage(
          reply,
          (context) => expiredPage({ ...context, reportPath: buildReportPath(link) }),
          {
            status: 410,
          },
        )
        return
      case 'password':
        counters.visits.password += 1
        sendVisitorPage(
          reply,
          (context) =>
            passwordPage({
              ...context,
              action: buildFormAction(link, reply.request),
              reportPath: buildReportPath(link),
            }),
          { policy: passwordPolicy },
        )
        return
      case 'confirm':
        counters.visits.page += 1
        sendConfirmation(reply, link)
        return
      case 'link-preview':
      case 'pixels':
      case 'frame':
      case 'splash':
      case 'overlay':
        counters.visits.page += 1
        sendDestinationPage(ctx, reply, link, decision)
        return
      default:
        decision satisfies never
    }
  }

  return { handle, handleUncached, find, followAsync, decideUnlocked }
}

function redirect(reply: FastifyReply, url: string): void {
  // 303 makes browsers follow with GET after a form (RFC 9110, section 15.4.4).
  reply.code(reply.request.method === 'POST' ? 303 : 302)
  reply.header('location', url)
  reply.header('cache-control', 'private, no-store')
  reply.send()
}

function getDomainId(host: Exclude<Host, { kind: 'unknown' }>): number | null {
  return host.kind === 'domain' ? host.domain.id : null
}
