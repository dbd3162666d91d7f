import { type TSchema, Type } from '@sinclair/typebox'
import { invalid } from '../../errors.ts'
import { findCountryCode, getCountryName } from '../../visitors/country-names.ts'
import { parseLanguageTarget, toLanguageLabel } from '../../visitors/language.ts'
import { findBrowserLabel, findSystemLabel, parseDeviceTarget } from '../../visitors/user-agent.ts'
import { MAX_PARAMETER_NAME, MAX_PARAMETER_VALUE, requireBoundedText } from './lengths.ts'
import { formatTime, isWithinHours, readTime, type TimeCondition } from './time-condition.ts'

/**
 * The visitor's properties that conditions may use. Methods are called only if the link's rules
 * need them.
 */
export type RuleVisitor = {
  /** Returns the country code: ISO 3166-1 alpha-2, uppercase. */
  country(): string | undefined
  /** Returns whether the visitor's device matches a device name used in rules. */
  hasDevice(name: string): boolean
  /** Returns the index of the visitor's preferred language, or -1. */
  bestLanguage(targets: readonly string[]): number
  /** Returns the browser's name in statistics. */
  browser(): string
  os(): string
  /** Returns the values of a query parameter in the visitor's request. */
  query(name: string): readonly string[]
}

type Condition<Value> = {
  /** The schema of the condition in requests. */
  schema: TSchema
  /** Converts the condition to its stored form. Throws AppError `invalid_input` naming `field`. */
  read(field: string, input: unknown): Value
  /** Returns whether the visitor meets the condition. */
  holds(value: Value, visitor: RuleVisitor, now: Date): boolean
  /** Formats the condition in the form that users type. */
  format(value: Value): string
  /** Converts text that a user entered to the input of `read`. Without it, `read` gets the text. */
  parse?(text: string): unknown
}

const MAX_QUERY = 10

/** The maximum length of a name, and of a text that an error message quotes. */
const MAX_NAME = 64
const createNameSchema = (description: string) => Type.String({ maxLength: MAX_NAME, description })

/** One name, or several of which any may apply. A list of one is stored as the name. */
type Names = string | readonly string[]

/** The maximum number of names in a list. There are fewer countries. */
const MAX_NAMES = 250

/**
 * Defines a condition on a name, which may be a list of names. `canonicalize` returns undefined for
 * unknown names, and `matches` whether any of the names applies to the visitor.
 */
function defineNames({
  kind,
  description,
  canonicalize,
  matches,
  format = String,
}: {
  kind: string
  description: string
  canonicalize: (name: string) => string | undefined
  matches: (names: readonly string[], visitor: RuleVisitor) => boolean
  format?: (name: string) => string
}): Condition<Names> {
  function readName(field: string, input: unknown): string {
    const text = typeof input === 'string' ? input : ''
    const canonicalName = text.length <= MAX_NAME ? canonicalize(text) : undefined
    if (canonicalName === undefined)
      throw invalid(field, 'unknown_name', { kind, name: text.slice(0, MAX_NAME) })
    return canonicalName
  }

  const name = createNameSchema(description)
  return {
    schema: Type.Union([name, Type.Array(name, { minItems: 1, maxItems: MAX_NAMES })], {
      description: `${description}. One, or a list of which any may apply.`,
    }),
    read(field, input) {
      if (!Array.isArray(input)) return readName(field, input)
      if (input.length === 0) throw invalid(field, 'empty')
      if (input.length > MAX_NAMES) throw invalid(field, 'at_most_entries', { max: MAX_NAMES })
      const names = input.map((each, index) => readName(`${field}[${index}]`, each))
      const [first = '', ...others] = new Set(names)
      return others.length > 0 ? [first, ...others] : first
    },
    holds: (value, visitor) => matches(listNames(value), visitor),
    format: (value) => listNames(value).map(format).join(', '),
    parse: (text) => {
      const names = text.split(',').map((each) => each.trim())
      return names.length > 1 ? names.filter(Boolean) : text
    },
  }
}

export function listNames(value: Names): readonly string[] {
  return typeof value === 'string' ? [value] : value
}

const query: Condition<Readonly<Record<string, string>>> = {
  schema: Type.Record(Type.String(), Type.String(), {
    description: 'Query parameters that the visit must have.',
  }),
  read(field, input) {
    const isObject = typeof input === 'object' && input !== null && !Array.isArray(input)
    const entries = isObject ? Object.entries(input) : []
    if (entries.length === 0 || entries.length > MAX_QUERY) {
      throw invalid(field, 'parameters_by_name', { max: MAX_QUERY })
    }
    return Object.fromEntries(
      entries.map(([name, value]) => {
        if (name === '') throw invalid(field, 'empty_name')
        const key = requireBoundedText(field, name, MAX_PARAMETER_NAME)
        if (typeof value !== 'string') throw invalid(`${field}.${key.slice(0, MAX_NAME)}`, 'text')
        return [
          key,
          requireBoundedText(`${field}.${key.slice(0, MAX_NAME)}`, value, MAX_PARAMETER_VALUE),
        ]
      }),
    )
  },
  holds: (value, visitor) =>
    Object.entries(value).every(([name, requiredValue]) =>
      visitor.query(name).includes(requiredValue),
    ),
  format: (value) => new URLSearchParams(value).toString(),
  parse: (text) => Object.fromEntries(new URLSearchParams(text)),
}

const time: Condition<TimeCondition> = {
  schema: Type.Object(
    {
      days: Type.Optional(Type.Array(Type.String(), { description: 'mon to sun.' })),
      from: Type.Optional(Type.String({ description: 'HH:MM, inclusive.' })),
      until: Type.Optional(
        Type.String({ description: 'HH:MM, exclusive. A time before `from` is on the next day.' }),
      ),
      zone: Type.Optional(Type.String({ description: 'IANA time zone. Default: UTC.' })),
    },
    { description: 'Hours of the week, in local time of the zone.' },
  ),
  read: readTime,
  holds: (value, _visitor, now) => isWithinHours(value, now),
  format: formatTime,
}

/**
 * All conditions of rules. Requests, files and the console follow this table, so this is the only
 * place to add one.
 */
export const CONDITIONS = {
  country: defineNames({
    kind: 'country',
    description: 'English country name or ISO 3166-1 alpha-2',
    canonicalize: findCountryCode,
    matches: (names, visitor) => names.includes(visitor.country() ?? ''),
    format: getCountryName,
  }),
  device: defineNames({
    kind: 'device',
    description:
      'iphone, ipad, android, windows, macos, linux, chromeos, mobile, tablet or desktop',
    canonicalize: parseDeviceTarget,
    matches: (names, visitor) => names.some((name) => visitor.hasDevice(name)),
  }),
  language: defineNames({
    kind: 'language',
    description: 'ISO 639-1, with or without a region: en, en-GB',
    canonicalize: parseLanguageTarget,
    matches: (names, visitor) => visitor.bestLanguage(names) >= 0,
    format: toLanguageLabel,
  }),
  browser: defineNames({
    kind: 'browser',
    description: 'a browser name from statistics: Chrome, Firefox, Safari, Edge',
    canonicalize: findBrowserLabel,
    matches: (names, visitor) => names.includes(visitor.browser()),
  }),
  os: defineNames({
    kind: 'operating system',
    description: 'an operating system, with or without its version: Windows, Windows 10, iOS 18',
    canonicalize: findSystemLabel,
    matches: (names, visitor) =>
      names.some((name) => visitor.os() === name || visitor.os().startsWith(`${name} `)),
  }),
  query,
  time,
}

export type ConditionName = keyof typeof CONDITIONS
type ValueOf<C> = C extends Condition<infer Value> ? Value : never
/** The conditions of a rule in stored form. A visitor must meet all of them. */
export type Conditions = { [Name in ConditionName]?: ValueOf<(typeof CONDITIONS)[Name]> }

export const CONDITION_NAMES = Object.keys(CONDITIONS) as ConditionName[]

export function getCondition(name: ConditionName): Condition<unknown> {
  return CONDITIONS[name] as Condition<unknown>
}
