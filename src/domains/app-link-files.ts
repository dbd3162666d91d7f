import { invalid } from '../errors.ts'

type Json = Record<string, unknown>

/**
 * Validates a file of statements by the rules of Android
 * (https://developers.google.com/digital-asset-links/v1/create-statement).
 *
 * @throws AppError `invalid_input` naming the field
 */
export function validateAssetLinks(field: string, file: unknown): void {
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
export function validateSiteAssociation(field: string, file: unknown): void {
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
