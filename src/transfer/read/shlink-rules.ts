import type { LinkRecord } from '../record.ts'
import {
  type Fields,
  invalidValue,
  isObject,
  readObjects,
  readOptional,
  readText,
} from './values.ts'

type Rules = NonNullable<LinkRecord['rules']>
type When = Record<string, string | Record<string, string>>

/** Shlink's devices. iOS runs on two kinds of devices here. */
const DEVICES: Readonly<Record<string, readonly string[]>> = {
  ios: ['iphone', 'ipad'],
  ...Object.fromEntries(
    ['android', 'mobile', 'desktop', 'windows', 'macos', 'linux', 'chromeos'].map((device) => [
      device,
      [device],
    ]),
  ),
}

/**
 * Converts the redirect rules of a Shlink link, in the order of their priority.
 *
 * @throws Error naming the rule and the condition that has no counterpart here
 */
export function toRules(response: Fields): Rules {
  const rules = readObjects(response, 'redirectRules')
  const priority = (rule: Fields) => (typeof rule.priority === 'number' ? rule.priority : 0)
  return rules
    .toSorted((first, second) => priority(first) - priority(second))
    .flatMap((rule, index) => toRule(rule, `redirectRules[${index}]`))
}

/** Converts the destinations by device that older versions of Shlink have. */
export function toDeviceRules(deviceLongUrls: unknown): Rules {
  if (!isObject(deviceLongUrls)) return []
  return Object.entries(deviceLongUrls).flatMap(([device, to]) => {
    if (typeof to !== 'string' || to === '') return []
    return findDevices(device, 'deviceLongUrls').map((name) => ({ when: { device: name }, to }))
  })
}

/** Returns the rules that together have the effect of one rule of Shlink. */
function toRule(rule: Fields, name: string): Rules {
  const to = readText(rule, 'longUrl')
  let all: When[] = [{}]
  for (const condition of readObjects(rule, 'conditions')) {
    const alternatives = toConditions(condition, name)
    all = all.flatMap((when) => alternatives.map((other) => merge(when, other, name)))
  }
  return all.map((when) => ({ when, to }))
}

function toConditions(condition: Fields, name: string): When[] {
  const type = readText(condition, 'type')
  const value = readOptional(condition, 'matchValue', readText) ?? ''
  switch (type) {
    case 'device':
      return findDevices(value, name).map((device) => ({ device }))
    case 'language':
      return [{ language: value }]
    case 'geolocation-country-code':
      return [{ country: value }]
    case 'query-param':
      return [{ query: { [readText(condition, 'matchKey')]: value } }]
    default:
      throw invalidValue(name, 'condition_not_imported', { type: type.slice(0, 40) })
  }
}

function findDevices(device: string, name: string): readonly string[] {
  const devices = DEVICES[device.toLowerCase()]
  if (!devices) throw invalidValue(name, 'device_not_imported', { device })
  return devices
}

/** Returns both conditions as one. Only query parameters can occur several times in a rule. */
function merge(first: When, second: When, name: string): When {
  const merged = { ...first }
  for (const [kind, value] of Object.entries(second)) {
    const existing = merged[kind]
    if (existing === undefined) merged[kind] = value
    else if (
      typeof existing === 'object' &&
      typeof value === 'object' &&
      !hasSameKey(existing, value)
    ) {
      merged[kind] = { ...existing, ...value }
    } else throw invalidValue(name, 'conditions_not_imported', { kind })
  }
  return merged
}

function hasSameKey(first: Record<string, string>, second: Record<string, string>): boolean {
  return Object.keys(second).some((key) => key in first)
}
