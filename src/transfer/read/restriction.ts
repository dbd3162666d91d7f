import type { Subject } from '../../errors.ts'
import { parseMoment } from './moment.ts'
import { invalidValue, type RowError } from './values.ts'

/**
 * Names of columns and fields that restrict a link: who may open it, when, how often, or where it
 * leads. They are lowercase, without punctuation and accents. Includes German, French and Spanish.
 */
const RESTRICTING = new RegExp(
  [
    // Who may open it.
    '^pass$|passw|passcode|passphrase|passkey|pwd|^pin(code)?$|protect|secret|encrypt|confirm|captcha|bestae?tig|restric',
    'kennwort|geschue?tzt|verschlue?ssel|motdepasse|proteg|contrasen|^clave(de|$)|codigodeacceso|codedacces',
    'access(code|key|token)|^(access?|acceso|zugriff)(level|control)?$|^zugang|zugriffs|^auth$|^gated?$|require',
    '(login|signin|auth|authentication|members?|users)only|nurfur|agegate|minage|mindestalter|altersfreigabe',
    'priva|^privee?s?$|visib|sichtbar|confiden|vertraulich|^(is|ist)?(hidden|draft|intern(al|e|o)?)$|versteck',
    'verborgen|^masque|ocult|(ein|be)(ge)?schrae?nk|restrei|restring|permission|berechtig|permis[eo]',
    'allow|deny|denied|whitelist|blacklist|erlaubt|zugelassen|autorise|permitid',
    // When and how long.
    'expir|until|till$|^valid(?!at)|gue?ltig|valable|^(in)?valid[oae]s?|schedul|ttl$|lifetime|lifespan|maxage|golive',
    '^(start|stop|end|ende|beginn?|finish|debut|fin|von|ab|bis|desde|hasta|due)$|not(before|after)|deadline|sunset',
    'embargo|availab|^(release|launch)d?(at|on|date|time)$|offline',
    'start(s|date|datum|time|at)|(end|stop)(s|date|datum|time)?(at|on|date|datum|time)$|due(date|at|on)$',
    '(fecha|date)de(fin|debut|inicio)|endetam|laufzeit|echeance|ablauf|abgelaufen|lae?uftab|verfall|jusqu',
    '(aktiv|verfue?gbar)(ab|bis)$|(activo|disponible)(desde|hasta)|caduc|^vence|vencimiento|livefrom',
    'publish(at|on|date)|veroe?ffentlichen|clos(es?|ed|ing)(at|on|date)$',
    'activat(es?|ion)(at|on|date)|onetime|single(use|click)|burn|destr[ou]|autodelet|(delete|remove)s?(after|on|at)$|^once$',
    'einmal|usageunique|u(n?so)?unico|unsolouso|zeitplan|zeitfenster|offnungszeit|time(window|frame|slot)|horario',
    // Whether it is off.
    'archiv|disabl|inactiv|inaktiv|inactif|deactivat|deaktiv|desactiv|deshabilit|inhabilit|suspend|banned|block|quarantin',
    'deleted|trash|papierkorb|removed|flagged|paus|revoked|(?<!un)locked|^(is)?lock$|frozen|freeze|halted|sperr|loe?sch|entfernt|verrouill|bloque',
    'supprime|eliminad|borrad|brouillon|entwurf',
    // How often.
    'limit|quota|threshold|begrenz|maxim|hoe?chst|max(de)?(click|klick|clic|visit|hit|use|view|redirect|aufruf)',
    '^cap$|(click|visit|view|use)s?cap$|remaining|verbleib|restant|(clicks?|visits?|uses?|views?)left|stopafter',
    // Where it leads.
    'geo|(?<!re)targeting|deeplink|applink|universallink|split|variant|rotat|rules?$|regeln?$|regl(e|a)s?$',
    'conditions$|bedingung|condiciones|abtest|^weights$|gewichtung|weekday|wochentag',
    '(country|region|city|language|device|browser|mobile)s?(target|url|link|destination|redirect)',
  ].join('|'),
)
/** Names of other destinations if the value is a URL. Otherwise they are statistics. */
const OTHER_TARGET =
  /ios(?!k)|android|ipad|iphone|desktop|mobil|tablet|windows|mac(os|url|link|$)|linux|appstore|playstore|google|apple|huawei|fallback|ausweich|^(url|destination|target|alternative)s$|(alternativ|backup|second|2nd|other)\w{0,9}(url|link|destination|target)s?$|(url|link|destination|target)[2-9]$|^(countr(y|ies)|land|lander|pays|pais(es)?|region|device|gerate?|appareil|dispositivo|language|sprache|langue|idioma|browser|os)s?$|^zielland/
/** Names of another column for the destination itself. */
const DESTINATION =
  /^(long|full|original|destination|target|redirect|forward)(url|link)$|^(destination|target|redirect(s|to)?|forwardto|goto)$/
/** Names that match, but are statistics or other facts about a link. */
const HARMLESS = /clicks|visits|hits|(?<!ac)count(?!r)|total|stats|last|name|by$|reason|notif/
/** Names that restrict a link, although they contain a name that is harmless. */
const HARMFUL = /limit|max|expir|allow|quota|remaining|left$|cap$|stopafter/
/** Names of switches that turn a link off unless they say yes. */
const SWITCH =
  /^(is|link|ist|est)?(enabled|active|activated|approved|available|released|running|live|online|public|published|visible|valide?|valid[oa]|gue?ltig|aktiv|aktiviert|freigegeben|freigeschaltet|sichtbar|oe?ffentlich|veroe?ffentlicht|actif|activee?|publique|publiee?|activo|activado|habilitado|publico|publicado)$/
/** Names of states, which turn a link off by a word. */
const STATE = /^(link|current)?(state|status|condition|zustand|statut|etat|estado)$/
/** Words for a state in which a link is turned off. */
export const OFF_WORDS: readonly string[] =
  'disabled inactive paused blocked banned suspended deleted trashed expired offline off draft false no 0 404 410'.split(
    ' ',
  )
const OFF = new RegExp(
  `^(${OFF_WORDS.join('|')}|archived|deactivated|removed|frozen|hidden|private|revoked|locked|stopped|closed|${[
    'deaktiviert|inaktiv|gesperrt|blockiert|archiviert|pausiert|gel[öo]scht|abgelaufen|entwurf|privat|versteckt',
    'd[eé]sactiv[eé]e?|inacti(f|ve)|archiv[eé]e?|en pause|supprim[eé]e?|expir[eé]e?|brouillon|priv[eé]e?|bloqu[eé]e?',
    'desactivad[oa]|inactiv[oa]|archivad[oa]|pausad[oa]|eliminad[oa]|caducad[oa]|vencid[oa]|borrador|privad[oa]|bloquead[oa]',
  ].join('|')}|nein|non|f|n)$`,
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
  const isTarget = OTHER_TARGET.test(normalized) || DESTINATION.test(normalized)
  if (!RESTRICTING.test(normalized) && !isTarget) return false
  return !HARMLESS.test(normalized) || HARMFUL.test(normalized)
}

/**
 * Returns whether a restricting column or field has a value that restricts the link with a
 * destination.
 */
export function restricts(name: string, value: unknown, url?: string): boolean {
  const normalized = normalizeName(name)
  if (DESTINATION.test(normalized)) return value !== url && hasUrl(value)
  if (STATE.test(normalized)) return OFF.test(String(value).trim())
  if (SWITCH.test(normalized)) return isOff(value)
  const isOnlyTarget = OTHER_TARGET.test(normalized) && !RESTRICTING.test(normalized)
  return isSet(value) && (!isOnlyTarget || hasUrl(value))
}

/** Returns whether the value of a switch is anything but yes, on, or the time of turning it on. */
function isOff(value: unknown): boolean {
  if (value == null) return false
  const text = String(value).trim()
  const isUnknown = text === '' || /^[([<]?null[)\]>]?$/i.test(text)
  return !isUnknown && !isYes(text) && (!ON.test(text) || OFF.test(text)) && !parseMoment(text)
}

function hasUrl(value: unknown): boolean {
  return /:\/\/|^"?[\w-]+(\.[\w-]+)+\//.test(JSON.stringify(value))
}

// Includes how spreadsheets in other languages save true and false.
const YES = /^(1|true|yes|y|on|t|wahr|ja|vrai|oui|verdadero|sí|si|vero|verdadeiro|sim|waar)$/i
const ON =
  /^(active|valid|valide|g[üu]e?ltig|v[aá]lid[oa]|everyone|anyone|all|alle|tous|todos|enabled|activated|live|online|public|published|visible|ok|aktiv|aktiviert|oe?ffentlich|öffentlich|actif|active|publique?|activo|activado|p[uú]blico|publicado)$/i
const NO = /^(0|false|no|n|off|f|falsch|nein|faux|non|falso|não|onwaar|nee)$/i
/** Texts that say that nothing is set. MySQL has the date zero. */
const UNSET =
  /^(none|public|never|forever|unlimited|keine?|öffentlich|nie|unbegrenzt|aucune?|publique|jamais|illimit[eé]e?|ningun[oa]|p[uú]blico|nunca|ilimitad[oa]|∞|[([<]?null[)\]>]?|nil|undefined|n\/?a|-|–|\[\]|\{\}|0+([.,]0+)?|0000-00-00.*)$/i

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
export function readSwitch(text: string, name: () => Subject): boolean {
  if (isYes(text)) return true
  if (isUnset(text)) return false
  if (parseMoment(text)) return true
  throw invalidValue(name(), 'not_boolean', { text: text.slice(0, 40) })
}

/** Returns the error for a link with a restriction that cannot be imported. */
export function createRestrictionError(name: Subject, value: unknown): RowError {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return invalidValue(name, 'restriction', { value: String(text).slice(0, 60) })
}

/** Throws if a field that is not known, or a field at any depth in it, restricts the link. */
export function rejectRestrictions(
  fields: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!known.has(name)) rejectField(name, name, value, MAX_DEPTH)
  }
}

/** Objects in a field are searched up to this depth. */
const MAX_DEPTH = 20

function rejectField(path: string, name: string, value: unknown, depth: number): void {
  if (isRestricting(name) && restricts(name, value)) {
    throw createRestrictionError(path, value)
  }
  if (typeof value !== 'object' || value === null || depth === 0) return
  for (const [each, part] of Object.entries(value)) {
    rejectField(`${path}.${each}`, each, part, depth - 1)
  }
}
