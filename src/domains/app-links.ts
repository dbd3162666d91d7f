import type { Context } from '../context.ts'
import type { Lookups } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { checkAssetLinks, checkSiteAssociation } from './app-link-files.ts'
import { findAppLinks } from './host.queries.ts'

/** The files that cause a domain's links to open in apps, on Android and on Apple's systems. */
export const APP_LINKS = {
  assetLinks: {
    path: '/.well-known/assetlinks.json',
    column: 'asset_links',
    check: checkAssetLinks,
  },
  appSiteAssociation: {
    path: '/.well-known/apple-app-site-association',
    column: 'app_site_association',
    check: checkSiteAssociation,
  },
} as const

export type AppLinkName = keyof typeof APP_LINKS
export const APP_LINK_NAMES = Object.keys(APP_LINKS) as AppLinkName[]

/** The texts of a domain's files. Null for missing files. */
export type AppLinks = Record<AppLinkName, string | null>

const MAX_BYTES = 65_536

/**
 * Validates the texts and returns their columns. Throws AppError `invalid_input` naming the field.
 */
export function readAppLinks(texts: Partial<AppLinks>): Partial<Record<string, string | null>> {
  const columns = APP_LINK_NAMES.flatMap((name) => {
    const text = texts[name]
    if (text === undefined) return []
    return [[APP_LINKS[name].column, text === null ? null : checkFile(name, text)]]
  })
  return Object.fromEntries(columns)
}

function checkFile(field: AppLinkName, text: string): string | null {
  if (text.trim() === '') return null
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalid(field, 'must be at most 64 KiB long')
  APP_LINKS[field].check(field, parse(field, text))
  return text
}

function parse(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(field, 'must be valid JSON')
  }
}

/**
 * Returns the text of a file of the branded domain with this normalized host, or null. While the
 * database is unavailable, reads the link store. Throws AppError `database_unavailable` if the
 * domain is not known there either.
 */
export async function findAppLink(
  { store }: Pick<Context, 'store'>,
  db: Db,
  host: string,
  name: AppLinkName,
): Promise<string | null> {
  const stored = findStored(store.current, host)
  if (stored) return stored[name]
  try {
    return (await findAppLinks(db, host))?.[name] ?? null
  } catch (error) {
    const last = findStored(store.latest, host)
    if (!last) throw error
    return last[name]
  }
}

function findStored({ get, find }: Lookups, host: string): AppLinks | undefined {
  const domain = find('domain', host)
  const account = domain && get('account', Number(domain.value.account_id))
  if (!account) return undefined
  const text = (name: AppLinkName) => {
    const value = domain.value[APP_LINKS[name].column]
    return account.value.suspended_at === null && typeof value === 'string' ? value : null
  }
  return { assetLinks: text('assetLinks'), appSiteAssociation: text('appSiteAssociation') }
}
