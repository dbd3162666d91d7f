import { parseMoment } from './moment.ts'

/**
 * Names of columns and fields that restrict a link: who may open it, when, how often, or where it
 * leads. They are lowercase, without punctuation and accents. Includes German, French and Spanish.
 */
const RESTRICTING = new RegExp(
  [
    'passw|passcode|passphrase|pwd|^pin(code)?$|protect|secret|private|privacy|visibility|restrict|confirm',
    'kennwort|geschutzt|motdepasse|protege|contrasen|clavede|accesscode|accesskey|memberonly|membersonly',
    '(login|signin|auth|authentication)(required|only)|require(s|d)?(login|signin|auth)|agegate',
    'onetime|single(use|click)|burn|selfdestruct|autodelet|einmal|usageunique|unsolouso',
    'expir|until|valid(from|since|to|thr|for|ity)|start(s|date|at)|end(s|date)?(at|on|date)$|schedul|ttl$',
    'lifetime|lifespan|maxage|available(from|at|on|to)|publish(at|on|date)|golive|clos(es?|ed|ing)(at|on|date)$',
    'activat(es?|ion)(at|on|date)|ablauf|lauftab|gultig|verfall|valable|jusqu|caduc|^vence|vencimiento',
    'archiv|disabl|inactiv|inaktiv|inactif|deactivat|deaktiv|desactiv|suspend|banned|block|deleted',
    'trash|paused|revoked|(?<!un)locked|gesperrt|geloscht|verrouill|bloque|supprime|eliminad|^(is)?(hidden|draft)$',
    'limit|quota|max(imal|imum)?(de)?(click|klick|clic|visit|hit|use|view|redirect|aufruf)|allowed|denied',
    'whitelist|blacklist|remaining|(clicks?|visits?|uses?|views?)left|stopafter',
    'geo|(?<!re)targeting|deeplink|applink|split|variant|rotat|rules?$|abtest',
    '(country|region|city|language|device|browser|mobile)s?(target|url|link|destination|redirect)',
  ].join('|'),
)
/** Names of other destinations if the value is a URL. Otherwise they are statistics. */
const OTHER_TARGET =
  /ios(?!k)|android|ipad|iphone|desktop|mobile|tablet|windows|mac(os|url|link|$)|linux|appstore|playstore|googleplay|fallback/
/** Names that match, but are statistics or other facts about a link. */
const HARMLESS = /clicks|visits|hits|(?<!ac)count(?!r)|total|stats|last|name|by$|reason|notif/
/** Names that restrict a link, although they contain a name that is harmless. */
const HARMFUL = /limit|max|expir|allowed|quota|remaining|left$|stopafter/
/** Names of switches that turn a link off if they say no. */
const SWITCH =
  /^(is|link|ist)?(enabled|active|activated|live|online|aktiv|aktiviert|actif|activo|activado)$/
/** Names of states, which turn a link off by a word. */
const STATE = /^(link|current)?(state|status|condition|zustand|statut|etat|estado)$/
/** Words for a state in which a link is turned off. */
export const OFF_WORDS: readonly string[] =
  'disabled inactive paused blocked banned suspended deleted trashed expired offline off draft false no 0 404 410'.split(
    ' ',
  )
const OFF = new RegExp(
  `^(${OFF_WORDS.join('|')}|archived|deactivated|deaktiviert|inaktiv|gesperrt|archiviert|d[eé]sactiv[eé]|inactif|inactivo|desactivado|nein|non|f|n)$`,
  'i',
)

/** Returns the name of a column or field in lowercase, without spaces, punctuation and accents. */
export function normalizeName(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/[^\p{L}\p{N}]/gu, '')
  return letters.toLowerCase()
}

/** Returns whether a column or field with this name can restrict a link. */
export function isRestricting(name: string): boolean {
  const normalized = normalizeName(name)
  if (SWITCH.test(normalized) || STATE.test(normalized)) return true
  if (!RESTRICTING.test(normalized) && !OTHER_TARGET.test(normalized)) return false
  return !HARMLESS.test(normalized) || HARMFUL.test(normalized)
}

/** Returns whether a restricting column or field has a value that restricts the link. */
export function restricts(name: string, value: unknown): boolean {
  const normalized = normalizeName(name)
  if (SWITCH.test(normalized) || STATE.test(normalized)) return OFF.test(String(value).trim())
  const isOnlyTarget = OTHER_TARGET.test(normalized) && !RESTRICTING.test(normalized)
  return isSet(value) && (!isOnlyTarget || hasUrl(value))
}

function hasUrl(value: unknown): boolean {
  return /:\/\/|^"?[\w-]+(\.[\w-]+)+\//.test(JSON.stringify(value))
}

// Includes how spreadsheets in other languages save true and false.
const YES = /^(1|true|yes|y|on|t|wahr|ja|vrai|oui|verdadero|sí|si|vero|verdadeiro|sim|waar)$/i
const NO = /^(0|false|no|n|off|f|falsch|nein|faux|non|falso|não|onwaar|nee)$/i
/** Texts that say that nothing is set. MySQL has the date zero. */
const UNSET =
  /^(none|public|never|forever|unlimited|∞|[([<]?null[)\]>]?|nil|undefined|n\/?a|-|–|\[\]|\{\}|0+([.,]0+)?|0000-00-00.*)$/i

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

/** Throws if a field that is not known, or a field in it, restricts the link. */
export function rejectRestrictions(
  fields: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): void {
  for (const [name, value] of Object.entries(fields)) {
    if (known.has(name)) continue
    const own = typeof value === 'object' && value !== null ? Object.entries(value) : []
    for (const [each, part] of [[name, value] as const, ...own]) {
      if (!isRestricting(each) || !restricts(each, part)) continue
      throw new Error(describeRestriction(each === name ? name : `${name}.${each}`, part))
    }
  }
}
