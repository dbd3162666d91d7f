import type { ClickScope } from '../../../clicks/read.ts'
import type { HttpContext } from '../../../context.ts'
import { getLink } from '../../../links/link.service.ts'
import type { Link } from '../../../links/link.ts'
import { getQrCode } from '../../../qr/qr.service.ts'
import type { QrCode } from '../../../qr/qr.ts'
import { getCampaignLinkIds } from '../../../resources/campaign-links.ts'
import { campaigns } from '../../../resources/campaigns.ts'
import { getChannelLinkIds } from '../../../resources/channel-items.ts'
import { channels } from '../../../resources/channels.ts'
import type { Scope } from '../../../scope.ts'
import { findTagWithLinks } from '../../../tags/tag.service.ts'
import { t } from '../../../texts.ts'
import { linkNameText, type NamedLink } from '../kit/link-name.ts'
import { type ConsoleRequest, idOf } from '../kit/subject.ts'

/** The kinds of things with a page of their own that has statistics. */
const KINDS = ['link', 'campaign', 'channel', 'code'] as const
type Kind = (typeof KINDS)[number]

export type Parameter = readonly [name: string, value: string]

/** The subject of statistics. */
export type Subject = {
  kind: Kind | 'account' | 'tag'
  id: number
  /** The name of a link or group. */
  name: string
  /** The link itself, if it is one. */
  link?: NamedLink & Pick<Link, 'domainId'>
  /** The path of its statistics page. */
  path: string
  scope: ClickScope
  /** When the subject was created. By default, its history starts on the day of its first click. */
  createdAt?: Date | undefined
  /** Whether only scans of QR codes are counted among the clicks on its links. */
  isOfScans?: boolean
  /** Parameters in every URL of the page, such as the tag. */
  extraParameters?: readonly Parameter[]
}

/** Returns a link as a subject of statistics. */
export function toLinkSubject(link: Link): Subject {
  const { id, accountId, createdAt } = link
  const scope = { accountId, linkIds: [id] }
  return { ...toPage('link', id), name: linkNameText(link), link, createdAt, scope }
}

/** Returns a code as a subject of statistics. Static codes have no link, so no clicks. */
export function toCodeSubject(accountId: number, code: QrCode): Subject {
  const { id, name, linkId, usesAccountLink: isOfScans, createdAt } = code
  const scope = { accountId, linkIds: linkId === null ? [] : [linkId] }
  return { ...toPage('code', id), name, createdAt, scope, isOfScans }
}

/** Returns the links of a campaign or channel as a subject of statistics. */
export function toGroupSubject(
  kind: 'campaign' | 'channel',
  accountId: number,
  { id, name }: { id: number; name: string },
  linkIds: readonly number[],
): Subject {
  return { ...toPage(kind, id), name, scope: { accountId, linkIds } }
}

function toPage(kind: Kind, id: number) {
  return { kind, id, path: `/console/${kind}s/${id}` }
}

/** Returns the link, group or code with an id. Throws AppError `not_found`. */
export async function readSubject(
  scope: Scope<HttpContext>,
  kind: Kind,
  id: number,
): Promise<Subject> {
  if (kind === 'link') return toLinkSubject(await getLink(scope, id))
  if (kind === 'code') return toCodeSubject(scope.accountId, await getQrCode(scope, id))
  const [resource, getLinkIds] =
    kind === 'campaign' ? [campaigns, getCampaignLinkIds] : [channels, getChannelLinkIds]
  const [group, linkIds] = await Promise.all([resource.get(scope, id), getLinkIds(scope, id)])
  return toGroupSubject(kind, scope.accountId, group, linkIds)
}

/**
 * Returns the console pages with statistics: those of all links or a tag, and of single links, groups
 * and codes. Each has a path, a section, and the subject of a request.
 */
export function listStatisticsPages(ctx: HttpContext) {
  const pages = KINDS.map((kind) => ({
    path: `/${kind}s/:id`,
    section: `/console/${kind}s` as const,
    findSubject: (request: ConsoleRequest) => readSubject(request.scope, kind, idOf(request)),
  }))
  const findSubject = (request: ConsoleRequest) => findTagOrAccount(ctx, request)
  return [{ path: '/analytics', section: '/console/analytics' as const, findSubject }, ...pages]
}

/** Returns the links with the tag in the query, or all links of the account without one. */
export async function findTagOrAccount(
  _ctx: HttpContext,
  { scope, session, query: { tag } }: ConsoleRequest,
): Promise<Subject> {
  const accountId = session.account.id
  const path = '/console/analytics'
  if (typeof tag !== 'string' || tag.trim() === '') {
    return {
      kind: 'account',
      id: accountId,
      name: t('analytics.allLinks'),
      path,
      scope: { accountId },
    }
  }
  const { id, name, linkIds } = await findTagWithLinks(scope, tag)
  const extraParameters = [['tag', name]] as const
  return { kind: 'tag', id, name, path, scope: { accountId, linkIds }, extraParameters }
}
