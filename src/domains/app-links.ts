import type { Context } from '../context.ts'
import type { Lookups } from '../db/local-store.ts'
import type { Db } from '../db/pool.ts'
import { checkAll, invalid } from '../errors.ts'
import { findAppLinks } from './host.queries.ts'

type Json = Record<string, unknown>

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
 * Validates the texts and returns their columns. A blank text becomes null.
 *
 * @throws AppError `invalid_input` naming the field
 */
export function toAppLinkColumns(texts: Partial<AppLinks>): Partial<Record<string, string | null>> {
  const columns = checkAll(
    ...APP_LINK_NAMES.map((name) => () => {
      const text = texts[name]
      if (text === undefined) return []
      return [[APP_LINKS[name].column, text === null ? null : validateFile(name, text)]]
    }),
  )
  return Object.fromEntries(columns.flat())
}

function validateFile(field: AppLinkName, text: string): string | null {
  if (text.trim() === '') return null
  if (Buffer.byteLength(text) > MAX_BYTES) throw invalid(field, 'at_most_kib', { max: 64 })
  APP_LINKS[field].check(field, parse(field, text))
  return text
}

function parse(field: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw invalid(field, 'json')
  }
}

/**
 * Returns the text of a file of the branded domain with this normalized host, or null. Reads the
 * link store if it is current, and the database otherwise. While the database is unavailable, reads
 * the link store even if it is outdated.
 *
 * @throws AppError `database_unavailable` if the link store does not have the domain either
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

/**
 * Validates a file of statements by the rules of Android
 * (https://developers.google.com/digital-asset-links/v1/create-statement).
 *
 * @throws AppError `invalid_input` naming the field
 */
function validateAssetLinks(field: string, file: unknown): void {
  if (!Array.isArray(file)) throw invalid(field, 'json_array')
  for (const [index, statement] of file.entries()) {
    const position = `[${index}]`
    if (!isObject(statement)) throw invalid(field, 'object', { position })
    if (isText(statement.include)) continue
    if (!isTextList(statement.relation) || statement.relation.length === 0) {
      throw invalid(field, 'app_relation', { position })
    }
    if (!isTarget(statement.target)) {
      const android = '"namespace", "package_name" and "sha256_cert_fingerprints"'
      throw invalid(field, 'app_target', { position, android })
    }
  }
}

/**
 * Validates a file by the rules of Apple's systems
 * (https://developer.apple.com/documentation/bundleresources/applinks).
 *
 * @throws AppError `invalid_input` naming the field
 */
function validateSiteAssociation(field: string, file: unknown): void {
  const otherSections = ['webcredentials', 'appclips', 'activitycontinuation'] as const
  if (!isObject(file) || !['applinks', ...otherSections].some((name) => name in file)) {
    throw invalid(field, 'json_applinks', { sections: otherSections.join(', ') })
  }
  if ('applinks' in file) validateAppDetails(field, file.applinks)
  for (const name of otherSections) {
    const part = file[name]
    if (part === undefined) continue
    if (!isObject(part) || !isTextList(part.apps)) {
      throw invalid(field, 'app_names', { position: name })
    }
  }
}

function validateAppDetails(field: string, applinks: unknown): void {
  if (!isObject(applinks) || !Array.isArray(applinks.details)) {
    throw invalid(field, 'applinks_details')
  }
  for (const [index, detail] of applinks.details.entries()) {
    const position = `applinks.details[${index}]`
    if (!isObject(detail) || !(isTextList(detail.appIDs) || isText(detail.appID))) {
      throw invalid(field, 'app_ids', { position })
    }
    const { components, paths } = detail
    if (components !== undefined && !(Array.isArray(components) && components.every(isObject))) {
      throw invalid(field, 'app_components', { position })
    }
    if (paths !== undefined && !isTextList(paths)) throw invalid(field, 'app_paths', { position })
  }
}

function isTarget(target: unknown): boolean {
  if (!isObject(target) || !isText(target.namespace)) return false
  if (target.namespace === 'android_app') {
    return isText(target.package_name) && isTextList(target.sha256_cert_fingerprints)
  }
  return target.namespace !== 'web' || isText(target.site)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText)
}
