import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { shortUrlOf } from '../links/short-url.ts'
import { isEncodedLink } from './code-link.queries.ts'
import type { CodeStyle } from './drawing/style.ts'

/** The content and style of a code, which determine its image. */
export type CodeAppearance = {
  payload: string
  background: string | undefined
  foreground: string | undefined
  /** The hash of the logo, or null if there is none. */
  logoHash: string | null
  style: CodeStyle
  /** Whether the account is suspended. If so, the image is not shown. */
  isSuspended: boolean
}

/**
 * Returns the content and style of the code whose image has this alias, or undefined if there is
 * none. Omits the logo, which may be large.
 */
export async function findAppearance(
  db: Db,
  baseUrl: string,
  alias: string,
): Promise<CodeAppearance | undefined> {
  const row = await selectAppearances(db, alias).executeTakeFirst()
  return row && toAppearance(row, baseUrl)
}

/** Like `findAppearance`, but also returns the logo. */
export async function findAppearanceWithLogo(
  db: Db,
  baseUrl: string,
  alias: string,
): Promise<{ appearance: CodeAppearance; logo: Buffer | undefined } | undefined> {
  const row = await selectAppearances(db, alias).select('qr_codes.logo').executeTakeFirst()
  return row && { appearance: toAppearance(row, baseUrl), logo: row.logo ?? undefined }
}

function selectAppearances(db: Db, alias: string) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('accounts', 'accounts.id', 'qr_codes.account_id')
    .leftJoin('links', (join) => join.on(isEncodedLink))
    .leftJoin('domains', 'domains.id', 'links.domain_id')
    .select([
      'accounts.suspended_at',
      'qr_codes.payload',
      'qr_codes.background',
      'qr_codes.foreground',
      'qr_codes.dots',
      'qr_codes.eyes',
      'qr_codes.caption',
      'links.alias as link_alias',
      'domains.origin',
      sql<string | null>`md5(qr_codes.logo)`.as('logo_hash'),
    ])
    .where('qr_codes.alias', '=', alias)
}

type AppearanceRow = Awaited<
  ReturnType<ReturnType<typeof selectAppearances>['executeTakeFirstOrThrow']>
>

function toAppearance(row: AppearanceRow, baseUrl: string): CodeAppearance {
  return {
    // A check constraint ensures that there is a payload or a link.
    payload: row.payload ?? shortUrlOf(row.origin ?? baseUrl, row.link_alias ?? ''),
    background: row.background ?? undefined,
    foreground: row.foreground ?? undefined,
    logoHash: row.logo_hash,
    style: { dots: row.dots, eyes: row.eyes, caption: row.caption },
    isSuspended: row.suspended_at !== null,
  }
}
