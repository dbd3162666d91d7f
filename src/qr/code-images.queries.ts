import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'
import { shortUrlOf } from '../links/short-url.ts'
import { encodedLink } from './code-link.queries.ts'
import type { CodeStyle } from './drawing/style.ts'

/** Everything that determines the image of a code. */
export type CodeFace = {
  payload: string
  background: string | undefined
  foreground: string | undefined
  /** The hash of the logo, or null if there is none. */
  logoHash: string | null
  style: CodeStyle
  /** Whether the account is suspended. If so, the image is not shown. */
  suspended: boolean
}

/** Returns the code whose image has this alias. Omits its logo, which may be large. */
export async function findFace(
  db: Db,
  baseUrl: string,
  alias: string,
): Promise<CodeFace | undefined> {
  const row = await selectFaces(db, alias).executeTakeFirst()
  return row && toFace(row, baseUrl)
}

/** Returns the code whose image has this alias, including its logo. */
export async function findFaceWithLogo(
  db: Db,
  baseUrl: string,
  alias: string,
): Promise<{ face: CodeFace; logo: Buffer | undefined } | undefined> {
  const row = await selectFaces(db, alias).select('qr_codes.logo').executeTakeFirst()
  return row && { face: toFace(row, baseUrl), logo: row.logo ?? undefined }
}

function selectFaces(db: Db, alias: string) {
  return db
    .selectFrom('qr_codes')
    .innerJoin('accounts', 'accounts.id', 'qr_codes.account_id')
    .leftJoin('links', (join) => join.on(encodedLink))
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

type FaceRow = Awaited<ReturnType<ReturnType<typeof selectFaces>['executeTakeFirstOrThrow']>>

function toFace(row: FaceRow, baseUrl: string): CodeFace {
  return {
    // A check constraint ensures that there is a payload or a link.
    payload: row.payload ?? shortUrlOf(row.origin ?? baseUrl, row.link_alias ?? ''),
    background: row.background ?? undefined,
    foreground: row.foreground ?? undefined,
    logoHash: row.logo_hash,
    style: { dots: row.dots, eyes: row.eyes, caption: row.caption },
    suspended: row.suspended_at !== null,
  }
}
