import type { Context, WebContext } from '../context.ts'
import { own, unscoped } from '../db/account-rows.ts'
import { notify } from '../db/notify.ts'
import { type Page, type PageQuery, readPageOfIds } from '../db/pagination.ts'
import { type Tx, transact } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { AccountScope, Scope } from '../scope.ts'
import { randomAlias } from '../urls/alias.ts'
import {
  type CodeDestination,
  type CodeLink,
  changeCodeDestination,
  deleteCodeLink,
  insertCodeLink,
} from './code-link.queries.ts'
import * as queries from './qr.queries.ts'
import type { PreparedQr, QrCode, QrContent, QrDetails, QrInput } from './qr.ts'
import { checkDrawable, readQrInput } from './qr-input.ts'

/**
 * Two random aliases collide about once in 10^12 attempts. Repeated collisions therefore indicate a
 * bug.
 */
const ALIAS_ATTEMPTS = 5

export async function listQrCodes(scope: Scope<Context>, page: PageQuery): Promise<Page<QrCode>> {
  const { ids, total } = await readPageOfIds(scope, 'qr_codes', page)
  return { entries: await queries.findCodes(scope, scope.config.baseUrl, ids), total }
}

/** Returns a code of the account. @throws AppError `not_found` */
export async function getQrCode(scope: Scope<Context>, id: number): Promise<QrCode> {
  const code = await queries.findQrCode(scope, scope.config.baseUrl, id)
  if (!code) throw new AppError('not_found')
  return code
}

/** Returns a code with its content and its style. @throws AppError `not_found` */
export async function getQrDetails(scope: Scope<Context>, id: number): Promise<QrDetails> {
  const code = await queries.findQrDetails(scope, scope.config.baseUrl, id)
  if (!code) throw new AppError('not_found')
  return code
}

/**
 * Returns the oldest code that encodes the short URL of a link of the account, or undefined if
 * there is none.
 */
export function findCodeOfLink(
  scope: AccountScope,
  linkId: number,
): Promise<{ id: number; alias: string } | undefined> {
  return own(scope)
    .selectFrom('qr_codes')
    .select(['id', 'alias'])
    .where('link_id', '=', linkId)
    .where('own_link_id', 'is', null)
    .orderBy('id')
    .executeTakeFirst()
}

/** Returns the logo of a code, or null. @throws AppError `not_found` */
export async function getQrLogo(scope: AccountScope, id: number): Promise<Buffer | null> {
  const logo = await queries.findLogo(scope, id)
  if (logo === undefined) throw new AppError('not_found')
  return logo
}

/**
 * Creates a code from a result of `readQrInput`. A dynamic code has an internal link that counts
 * its scans. A code for a link of the account encodes the link's short URL, so its scans are clicks
 * on the link.
 *
 * @throws AppError `invalid_input`, `too_many_qr_codes`
 */
export async function addQrCode(
  scope: Scope<Context>,
  code: PreparedQr,
): Promise<{ id: number; alias: string }> {
  checkDrawable(code)
  await scope.storage.require(scope)
  const { ownLink, ...inserted } = await scope.quotas.codes.use(scope, 1, (allowed) => {
    if (allowed < 1) throw new AppError('too_many_qr_codes')
    return transact(scope, (tx) => insertCode(tx, code))
  })
  if (ownLink) scope.visitLinks.invalidate(null, ownLink.alias)
  return inserted
}

/**
 * Changes the content of a code and the fields that are set in the input. Null clears a field.
 *
 * The image of a dynamic code with an internal link stays the same, because only the destination of
 * the internal link changes. The new destination may be another link of the account, which then
 * counts the scans. The image changes if the type of the code changes, or if the code encodes the
 * short URL of an account's link and gets another destination.
 *
 * @throws AppError `not_found`, `invalid_input` naming the field, `busy`
 */
export async function updateQrCode(
  scope: Scope<WebContext>,
  id: number,
  input: Omit<QrInput, 'type'> & Partial<Pick<QrInput, 'type'>>,
): Promise<void> {
  const current = await getQrCode(scope, id)
  await scope.storage.require(scope)
  const merged = { ...input, type: input.type ?? current.type }
  const changes = await readQrInput(scope, merged)
  const link = await transact(scope, (tx) => changeCode(tx, id, changes))
  if (link) scope.visitLinks.invalidate(null, link.alias)
}

/**
 * Deletes a code, its internal link and its clicks. If it encodes a link of the account, that link
 * is not deleted.
 *
 * @throws AppError `not_found`
 */
export async function deleteQrCode(scope: Scope<Context>, id: number): Promise<void> {
  const link = await transact(scope, async (tx) => {
    const deleted = await queries.deleteQrCode(tx, id)
    if (!deleted) throw new AppError('not_found')
    const { ownLinkId } = deleted
    const link = ownLinkId === null ? null : await deleteCodeLink(unscoped(tx), ownLinkId)
    await notifyLink(unscoped(tx), link)
    return link
  })
  if (link) scope.visitLinks.invalidate(null, link.alias)
}

async function insertCode(
  scope: AccountScope<Tx>,
  { type, content, name = null, background = null, foreground = null, ...code }: PreparedQr,
) {
  const { logo = null, dots, eyes, caption = null } = code
  const style = { ...(dots && { dots }), ...(eyes && { eyes }), caption }
  const { linkId, ownLink } = await updateLinks(scope, null, content)
  const values = {
    account_id: scope.accountId,
    name,
    type,
    payload: getPayload(content),
    background,
  }
  const links = { link_id: linkId, own_link_id: ownLink?.id ?? null }
  const inserted = await retryWithRandomAliases(async (alias) => {
    const id = await queries.insertQrCode(unscoped(scope), {
      ...values,
      ...links,
      ...style,
      alias,
      foreground,
      logo,
    })
    return id === undefined ? undefined : { id, alias }
  })
  return { ...inserted, ownLink }
}

/** Changes a code. Returns its internal link, which must be invalidated in caches, if any. */
async function changeCode(
  scope: AccountScope<Tx>,
  id: number,
  { content, ...changes }: PreparedQr,
): Promise<CodeLink | null> {
  const current = await queries.lockQrCode(scope, id)
  if (!current) throw new AppError('not_found')
  const { background, foreground, hasLogo } = current
  checkDrawable({ background, foreground, logo: hasLogo, content, ...changes })
  const { ownLinkId } = current
  const { linkId, ownLink } = await updateLinks(scope, ownLinkId, content)
  await queries.updateQrCode(unscoped(scope), id, {
    ...changes,
    payload: getPayload(content),
    link_id: linkId,
    own_link_id: ownLink?.id ?? null,
  })
  const deletedLink =
    ownLinkId !== null && !ownLink ? await deleteCodeLink(unscoped(scope), ownLinkId) : null
  await notifyLink(unscoped(scope), ownLink ?? deletedLink)
  return ownLink ?? deletedLink
}

/**
 * Returns the link that counts a code's scans, and the code's internal link. Creates or updates the
 * latter if necessary.
 */
async function updateLinks(
  scope: AccountScope<Tx>,
  ownId: number | null,
  content: QrContent,
): Promise<{ linkId: number | null; ownLink: CodeLink | null }> {
  if (content.kind === 'static') return { linkId: null, ownLink: null }
  const { destination: url, link } = content
  if (link?.isExact && ownId === null) return { linkId: link.id, ownLink: null }
  const destination: CodeDestination = { url, kind: link ? 'forward' : 'qr' }
  const ownLink = await (ownId === null
    ? retryWithRandomAliases((alias) => insertCodeLink(scope, alias, destination))
    : changeCodeDestination(unscoped(scope), ownId, destination))
  return { linkId: link?.id ?? ownLink.id, ownLink }
}

async function notifyLink(tx: Tx, link: CodeLink | null): Promise<void> {
  if (link) await notify(tx, [{ kind: 'link', domainId: null, alias: link.alias }])
}

/** Calls `insert` with random aliases until one of them is free. Returns the result. */
async function retryWithRandomAliases<T>(
  insert: (alias: string) => Promise<T | undefined>,
): Promise<T> {
  for (let attempt = 1; attempt <= ALIAS_ATTEMPTS; attempt += 1) {
    const inserted = await insert(randomAlias())
    if (inserted !== undefined) return inserted
  }
  throw new Error(`no free alias in ${ALIAS_ATTEMPTS} attempts`)
}

function getPayload(content: QrContent): string | null {
  return content.kind === 'static' ? content.payload : null
}
