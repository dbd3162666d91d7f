import type { Quota } from '../accounts/quota.ts'
import { notify } from '../db/notify.ts'
import type { PageQuery } from '../db/pagination.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import { randomAlias } from '../links/rules/alias.ts'
import type { VisitLinks } from '../links/visit-links.ts'
import {
  type CodeLink,
  type CodeTarget,
  deleteCodeLink,
  insertCodeLink,
  retargetCodeLink,
} from './code-link.queries.ts'
import { checkColors } from './drawing/color.ts'
import { qrMatrix } from './drawing/matrix.ts'
import {
  deleteQrCode,
  findLogo,
  findQrCode,
  findQrDetails,
  insertQrCode,
  listQrCodes,
  lockQrCode,
  updateQrCode,
} from './qr.queries.ts'
import type { PreparedQr, QrCode, QrContent, QrDetails, QrInput } from './qr.ts'
import type { ReadQrInput } from './qr-input.ts'
import type { ReadQrContent } from './read-content.ts'

export type QrCodes = ReturnType<typeof createQrCodes>

type Dependencies = {
  db: Db
  baseUrl: string
  readContent: ReadQrContent
  readInput: ReadQrInput
  visitLinks: Pick<VisitLinks, 'invalidate'>
  quota: Quota
}

/** Random aliases clash about once in a million million; more than a few attempts mean a fault. */
const ALIAS_ATTEMPTS = 5

/**
 * QR codes of accounts. A dynamic code has a link of its own, on which scans are counted; but one for a link
 * of the account encodes the short URL of that, and its scans are clicks of that link.
 */
export function createQrCodes({
  db,
  baseUrl,
  readContent,
  readInput,
  visitLinks,
  quota,
}: Dependencies) {
  async function get(accountId: number, id: number): Promise<QrCode> {
    const code = await findQrCode(db, baseUrl, accountId, id)
    if (!code) throw new AppError('not_found')
    return code
  }

  return {
    get,

    /** A code with what it says and how it looks. @throws AppError `not_found` */
    async details(accountId: number, id: number): Promise<QrDetails> {
      const code = await findQrDetails(db, baseUrl, accountId, id)
      if (!code) throw new AppError('not_found')
      return code
    },

    /** The logo of a code, null where it has none. @throws AppError `not_found` */
    async logo(accountId: number, id: number): Promise<Buffer | null> {
      const logo = await findLogo(db, accountId, id)
      if (logo === undefined) throw new AppError('not_found')
      return logo
    },

    /** One page of the account's codes with the number of all of them. */
    list: (accountId: number, page: PageQuery) => listQrCodes(db, baseUrl, accountId, page),

    /** Reads what a code would say. @throws AppError `invalid_input` naming the field */
    content: readContent,

    /**
     * Reads what is asked of a new code and fetches its logo: not to be done inside a transaction.
     *
     * @throws AppError `invalid_input` naming the field, `busy`
     */
    prepare: readInput,

    /** Makes a code of what `prepare` gave. @throws AppError `invalid_input`, `too_many_qr_codes` */
    async add(accountId: number, code: PreparedQr): Promise<{ id: number; alias: string }> {
      const { type, content, name = null } = code
      const { background = null, foreground = null, logo = null } = code
      checkDrawable(content, { background, foreground, hasLogo: logo !== null })
      const { own, ...added } = await quota.use(db, accountId, 1, (allowed) => {
        if (allowed < 1) throw new AppError('too_many_qr_codes')
        return inTransaction(db, insert)
      })
      if (own) visitLinks.invalidate(null, own.alias)
      return added

      async function insert(tx: Tx) {
        const { linkId, own } = await setLinks(tx, accountId, null, content)
        const added = await withFreeAlias(async (alias) => {
          const id = await insertQrCode(tx, {
            account_id: accountId,
            alias,
            name,
            type,
            payload: payloadOf(content),
            background,
            foreground,
            logo,
            link_id: linkId,
            own_link_id: own?.id ?? null,
          })
          return id === undefined ? undefined : { id, alias }
        })
        return { ...added, own }
      }
    },

    /**
     * Changes what a code says, and the fields that are given; null clears one. A dynamic code with a link of
     * its own stays the picture it was and leads to its new target, also where that is another link of the
     * account, which then counts the scans. One that encodes the short URL of such a link becomes another
     * picture when it is to lead elsewhere, and any code does with another type.
     *
     * @throws AppError `not_found`, `invalid_input` naming the field, `busy`
     */
    async update(
      accountId: number,
      id: number,
      input: Omit<QrInput, 'type'> & Partial<Pick<QrInput, 'type'>>,
    ): Promise<void> {
      const current = await get(accountId, id)
      const changes = await readInput(accountId, { ...input, type: input.type ?? current.type })
      const link = await inTransaction(db, (tx) => change(tx, accountId, id, changes))
      if (link) visitLinks.invalidate(null, link.alias)
    },

    /**
     * Deletes a code with its own link and everything counted of that. A link that the code stood for stays.
     *
     * @throws AppError `not_found`
     */
    async delete(accountId: number, id: number): Promise<void> {
      const link = await inTransaction(db, async (tx) => {
        const deleted = await deleteQrCode(tx, accountId, id)
        if (!deleted) throw new AppError('not_found')
        const { ownLinkId } = deleted
        const link = ownLinkId === null ? null : await deleteCodeLink(tx, ownLinkId)
        await notifyLink(tx, link)
        return link
      })
      if (link) visitLinks.invalidate(null, link.alias)
    },
  }
}

/** Gives the link that visitors' caches must read again. */
async function change(
  tx: Tx,
  accountId: number,
  id: number,
  { content, ...changes }: PreparedQr,
): Promise<CodeLink | null> {
  const before = await lockQrCode(tx, accountId, id)
  if (!before) throw new AppError('not_found')
  const { background = before.background, foreground = before.foreground, logo } = changes
  const hasLogo = logo === undefined ? before.hasLogo : logo !== null
  checkDrawable(content, { background, foreground, hasLogo })
  const { ownLinkId } = before
  const { linkId, own } = await setLinks(tx, accountId, ownLinkId, content)
  await updateQrCode(tx, id, {
    ...changes,
    payload: payloadOf(content),
    link_id: linkId,
    own_link_id: own?.id ?? null,
  })
  const gone = ownLinkId !== null && !own ? await deleteCodeLink(tx, ownLinkId) : null
  await notifyLink(tx, own ?? gone)
  return own ?? gone
}

/** Gives the link that counts a code's scans, and its own link, which is made or changed where it needs one. */
async function setLinks(
  tx: Tx,
  accountId: number,
  ownId: number | null,
  content: QrContent,
): Promise<{ linkId: number | null; own: CodeLink | null }> {
  if (content.kind === 'static') return { linkId: null, own: null }
  const { target: url, link } = content
  if (link?.exact && ownId === null) return { linkId: link.id, own: null }
  const target: CodeTarget = { url, kind: link ? 'forward' : 'qr' }
  const own = await (ownId === null
    ? withFreeAlias((alias) => insertCodeLink(tx, accountId, alias, target))
    : retargetCodeLink(tx, ownId, target))
  return { linkId: link?.id ?? own.id, own }
}

async function notifyLink(tx: Tx, link: CodeLink | null): Promise<void> {
  if (link) await notify(tx, [{ kind: 'link', domainId: null, alias: link.alias }])
}

async function withFreeAlias<T>(insert: (alias: string) => Promise<T | undefined>): Promise<T> {
  for (let attempt = 1; attempt <= ALIAS_ATTEMPTS; attempt += 1) {
    const inserted = await insert(randomAlias())
    if (inserted !== undefined) return inserted
  }
  throw new Error(`no free alias in ${ALIAS_ATTEMPTS} attempts`)
}

function payloadOf(content: QrContent): string | null {
  return content.kind === 'static' ? content.payload : null
}

type Look = { background: string | null; foreground: string | null; hasLogo: boolean }

/** Refuses what could be stored but not scanned. A short URL, as in dynamic codes, always fits. */
function checkDrawable(content: QrContent, { background, foreground, hasLogo }: Look): void {
  checkColors(foreground ?? undefined, background ?? undefined)
  if (content.kind === 'static') qrMatrix(content.payload, { ecc: hasLogo ? 'high' : 'medium' })
}
