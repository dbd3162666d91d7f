import { BROWSER_MAP, OS_MAP, type ParsedResult, parse } from 'bowser'
import { memo } from '../concurrency/memo.ts'
import { findToolByName, findToolFamily } from './http-tools.ts'

export type DeviceType = 'mobile' | 'tablet' | 'desktop' | 'unknown'
export type Platform =
  | 'iphone'
  | 'ipad'
  | 'android'
  | 'windows'
  | 'macos'
  | 'linux'
  | 'chromeos'
  | 'unknown'

/** The device names for targeting. */
export type DeviceTarget = Exclude<DeviceType | Platform, 'unknown'>

export type ParsedUserAgent = {
  readonly browser: string
  readonly os: string
  readonly device: DeviceType
  readonly platform: Platform
}

const maxLength = 512

const unknown: ParsedUserAgent = {
  browser: 'Unknown',
  os: 'Unknown',
  device: 'unknown',
  platform: 'unknown',
}

/** The names in bowser's list, and names that it returns without listing them. */
const browserNames = new Set([
  ...Object.values(BROWSER_MAP),
  'Miui',
  'Opera Touch',
  'PlayStation 4',
  'SlimerJS',
])

const shortNames = new Map([
  ['Microsoft Edge', 'Edge'],
  ['Samsung Internet for Android', 'Samsung Internet'],
])

/**
 * Parses a User-Agent into browser family, operating system with major version, device type and
 * platform. Missing parts are `Unknown` or `unknown`. Results are cached.
 *
 * Browsers report outdated versions of newer systems: `Windows 10` includes Windows 11, `macOS
 * 10.15` and `Android 10` include later ones, and an iPad that requests desktop pages is reported
 * as a Mac. Tools and libraries have a browser label, but no device or platform.
 */
export function parseUserAgent(userAgent: string): ParsedUserAgent {
  return parseCached(truncateUserAgent(userAgent))
}

const parseCached = memo((key) => (key.trim() === '' ? unknown : parseUncached(key)), 5_000)

/**
 * Returns the first 512 bytes of a User-Agent. The others are not used. Node.js decodes headers as
 * latin1, with one character per byte.
 */
export function truncateUserAgent(userAgent: string): string {
  if (userAgent.length <= maxLength) return userAgent
  // Copies the text. Without the copy, V8's slice would keep the entire header in memory while it
  // is cached.
  return Buffer.from(userAgent.slice(0, maxLength), 'utf16le').toString('utf16le')
}

/** Returns the device target with this name, ignoring case (`mac` means `macos`), or undefined. */
export function parseDeviceTarget(name: string): DeviceTarget | undefined {
  return targets.get(name.trim().toLowerCase().replace(/\s+/g, ' '))
}

/** Returns the label of the browser or tool with this name, ignoring case, or undefined. */
export function findBrowserLabel(name: string): string | undefined {
  const normalized = name.trim().toLowerCase()
  return browsers.get(normalized) ?? findToolByName(normalized)
}

const browsers = new Map(
  [...browserNames].flatMap((name) => {
    const label = shortNames.get(name) ?? name
    return [name, label].map((each) => [each.toLowerCase(), label] as const)
  }),
)

/**
 * Returns the label of an operating system by its name, ignoring case, with or without a version.
 * Returns undefined if it is unknown.
 */
export function findSystemLabel(name: string): string | undefined {
  const normalized = name.trim().replace(/\s+/g, ' ')
  const system = systems.find((each) => {
    const version = normalized.slice(each.length)
    return (
      normalized.toLowerCase().startsWith(each.toLowerCase()) && /^( [\w.]{1,16})?$/.test(version)
    )
  })
  return system && system + normalized.slice(system.length)
}

const systems = [...Object.values(OS_MAP), 'FreeBSD', 'OpenBSD', 'NetBSD'].toSorted(
  (a, b) => b.length - a.length,
)

/** Returns whether a visitor matches a device target, which is a device type or a platform. */
export function matchesDevice(target: DeviceTarget, parsed: ParsedUserAgent): boolean {
  return target === parsed.device || target === parsed.platform
}

const targets = new Map<string, DeviceTarget>([
  ['iphone', 'iphone'],
  ['ipad', 'ipad'],
  ['android', 'android'],
  ['windows', 'windows'],
  ['macos', 'macos'],
  ['mac', 'macos'],
  ['mac os', 'macos'],
  ['linux', 'linux'],
  ['chromeos', 'chromeos'],
  ['chrome os', 'chromeos'],
  ['mobile', 'mobile'],
  ['tablet', 'tablet'],
  ['desktop', 'desktop'],
])

function parseUncached(ua: string): ParsedUserAgent {
  const parsed = parse(ua)
  const os = toOsLabel(ua, parsed.os)
  const tool = findToolFamily(ua)
  if (tool !== undefined) return { ...unknown, browser: tool, os }
  const platform = detectPlatform(ua, parsed)
  return {
    browser: toBrowserLabel(parsed),
    os,
    device: detectDevice(ua, parsed, platform),
    platform,
  }
}

function toBrowserLabel({ browser: { name = '' } }: ParsedResult): string {
  return browserNames.has(name) ? (shortNames.get(name) ?? name) : 'Unknown'
}

function toOsLabel(ua: string, { name, version = '', versionName }: ParsedResult['os']): string {
  if (!name) return /\b(?:Free|Open|Net)BSD\b/.exec(ua)?.[0] ?? 'Unknown'
  if (name === 'Windows') return versionName ? `Windows ${versionName}` : name
  // Up to 10.15, the second number is the release.
  const release = name === 'macOS' && version.startsWith('10.') ? /^10\.\d+/ : /^\d+/
  const number = release.exec(version)?.[0]
  // A longer number is not a version.
  return number && number.length <= 8 ? `${name} ${number}` : name
}

function detectPlatform(ua: string, { os, platform }: ParsedResult): Platform {
  switch (os.name) {
    case 'iOS':
      return platform.model === 'iPad' || /ipad/i.test(ua) ? 'ipad' : 'iphone'
    case 'Android':
      return 'android'
    case 'Windows':
      return 'windows'
    case 'macOS':
      return 'macos'
    case 'Linux':
      return 'linux'
    case 'Chrome OS':
      return 'chromeos'
    default:
      return 'unknown'
  }
}

function detectDevice(
  ua: string,
  { platform: { type } }: ParsedResult,
  platform: Platform,
): DeviceType {
  if (isTelevision(ua)) return 'unknown'
  if (type === 'mobile' || type === 'tablet' || type === 'desktop') return type
  // bowser has no type for Chrome OS and BSD, and classifies anything that contains "yahoo" as a
  // bot.
  if (type === 'tv') return 'unknown'
  if (platform === 'iphone') return 'mobile'
  if (platform === 'ipad') return 'tablet'
  if (platform === 'android') return /mobile/i.test(ua) ? 'mobile' : 'tablet'
  return platform !== 'unknown' || /\bX11;/.test(ua) ? 'desktop' : 'unknown'
}

/**
 * Returns whether a device is a television. Televisions run Android or Linux, and bowser classifies
 * them as tablets or computers.
 */
function isTelevision(ua: string): boolean {
  return (
    /smart-?tv|\btv\b|hbbtv|googletv|bravia|crkey|netcast|web0s/i.test(ua) ||
    /\bAFT[A-Z]{1,5}\b/.test(ua)
  )
}
