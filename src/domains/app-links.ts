import type { Context } from '../context.ts'
import type { Lookups } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { invalid } from '../errors.ts'
import { validateAssetLinks, validateSiteAssociation } from './app-link-files.ts'
import { findAppLinks } from './host.queries.ts'

/** The files that cause a domain's links to open in apps, on Android and on Apple's systems. */
export const APP_LINKS = {
  assetLinks: {
    path: '/.well-known/assetlinks.json',
    column: 'asset_links',
    check: validateAssetLinks,
  },
  appSiteAssociation: {
    path: '/.well-known/apple-app-site-association',
    column: 'app_site_association',
    check: validateSiteAssociation,
  },
} as const

export type AppLinkName = keyof typeof APP_LINKS
export const APP_LINK_NAMES = Object.keys(APP_LINKS) as AppLinkName[]

/** The text of each file of a domain, or null if it has none. */
export type AppLinks = Record<AppLinkName, string | null>

const MAX_BYTES = 65_536

/**
 * Validates the texts and returns their columns. Throws AppError `invalid_input` naming the field.
 */
export function toAppLinkColumns(texts: Partial<AppLinks>): Partial<Record<string, string | null>> {
  const columns = APP_LINK_NAMES.flatMap((name) => {
    const readText = texts[name]
    if (readText === undefined) return []
    return [[APP_LINKS[name].column, readText === null ? null : validateFile(name, readText)]]
  })
  return Object.fromEntries(columns)
}

function validateFile(field: AppLinkName, readText: string): string | null {
  if (readText.trim() === '') return null
  if (Buffer.byteLength(readText) > MAX_BYTES) throw invalid(field, 'must be at most 64 KiB long')
  APP_LINKS[field].check(field, parse(field, readText))
  return readText
}

function parse(field: string, readText: string): unknown {
  try {
    return JSON.parse(readText)
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
  const stored = findStoredTexts(store.current, host)
  if (stored) return stored[name]
  try {
    return (await findAppLinks(db, host))?.[name] ?? null
  } catch (error) {
    const latest = findStoredTexts(store.latest, host)
    if (!latest) throw error
    return latest[name]
  }
}

function findStoredTexts({ get, find }: Lookups, host: string): AppLinks | undefined {
  const domain = find('domain', host)
  const account = domain && get('account', Number(domain.value.account_id))
  if (!account) return undefined
  const readText = (name: AppLinkName) => {
    const value = domain.value[APP_LINKS[name].column]
    return account.value.suspended_at === null && typeof value === 'string' ? value : null
  }
  return { assetLinks: readText('assetLinks'), appSiteAssociation: readText('appSiteAssociation') }
}
