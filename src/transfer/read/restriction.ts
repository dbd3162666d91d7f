import { parseMoment } from './moment.ts'

/**
 * Names of columns and fields that restrict a link: who may open it, when, how often, or where it
 * leads. They are lowercase, without punctuation.
 */
const RESTRICTING = new RegExp(
  [
    'passw|passcode|passphrase|pwd|protect|secret|private|privacy|visibility|restrict|confirm|onetime|singleuse|burn',
    'expir|until|valid(from|since|to|thr)|start(s|date|at)|end(s|date)?(at|on|date)$|schedul|ttl$',
    'archiv|disabl|inactive|deactivat|suspend|banned|block|deleted|trash|paused|revoked',
    'limit|quota|max(imum)?(click|visit|hit|use|view|redirect)|allowed|denied|whitelist|blacklist',
    'geo|targeting|deeplink|applink|split|variant|rotat|rules?$',
    '(country|region|city|language|device|browser|mobile)s?(target|url|link|destination|redirect)',
  ].join('|'),
)
/** Names of device targets if the value is a URL. Otherwise they are statistics. */
const DEVICE =
  /^(ios|android|ipad|iphone|desktop|mobile|tablet|windows|mac(os)?|linux)(url|link|target|destination|redirect)?s?$/
/** Names that match, but are statistics or other facts about a link. */
const HARMLESS = /clicks|visits|hits|count|total|stats|last|name|by|reason|notif/

/** Returns the name of a column or field in lowercase, without spaces and punctuation. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[\s_.()/-]/g, '')
}

/** Returns whether a column or field with this name can restrict a link. */
export function isRestricting(name: string): boolean {
  const normalized = normalizeName(name)
  if (DEVICE.test(normalized)) return true
  if (!RESTRICTING.test(normalized)) return false
  return !HARMLESS.test(normalized) || /limit|max|expir/.test(normalized)
}

/** Returns whether a restricting column or field has a value that restricts the link. */
export function restricts(name: string, value: unknown): boolean {
  const isTarget = () => JSON.stringify(value).includes('://')
  return isSet(value) && (!DEVICE.test(normalizeName(name)) || isTarget())
}

// Includes how spreadsheets in other languages save true and false.
const YES = /^(1|true|yes|y|on|t|wahr|ja|vrai|oui|verdadero|sí|si|vero|verdadeiro|sim|waar)$/i
const NO = /^(0|false|no|n|off|f|falsch|nein|faux|non|falso|não|onwaar|nee)$/i
/** Texts that say that nothing is set. MySQL has the date zero. */
const UNSET =
  /^(none|public|never|unlimited|null|nil|undefined|n\/?a|-|–|\[\]|\{\}|0+([.,]0+)?|0000-00-00.*)$/i

export function isYes(text: string | undefined): boolean {
  return text !== undefined && YES.test(text)
}

/** Returns whether a text says no. Other words, such as `none`, may be a password. */
export function isNo(text: string): boolean {
  return NO.test(text)
}

/** Returns whether a value says that nothing is set or that something is off. */
export function isUnset(text: string): boolean {
  return text === '' || NO.test(text) || UNSET.test(text)
}

/** Returns whether a value of JSON sets something. */
export function isSet(value: unknown): boolean {
  if (value == null || value === false) return false
  if (typeof value === 'object') return Object.values(value).some(isSet)
  return !isUnset(String(value).trim())
}

/**
 * Reads a switch, which may be the time at which it was turned on.
 *
 * @throws Error naming the value
 */
export function readSwitch(text: string, name: () => string): boolean {
  if (isYes(text)) return true
  if (isUnset(text)) return false
  if (parseMoment(text)) return true
  throw new Error(`${name()} must be true or false, not ${text.slice(0, 40)}`)
}

/** Returns the reason why a link with a restriction that cannot be imported is rejected. */
export function describeRestriction(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return `${name} restricts the link and cannot be imported (${String(text).slice(0, 60)}); ignore it to import the link without it`
}

/** Throws if a field that is not known restricts the link. */
export function rejectRestrictions(
  fields: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): void {
  for (const [name, value] of Object.entries(fields)) {
    if (known.has(name) || !isRestricting(name) || !restricts(name, value)) continue
    throw new Error(describeRestriction(name, value))
  }
}
