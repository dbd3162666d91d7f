import type { DeviceType, Platform } from './user-agent.ts'

export type BrowserRow = readonly [
  ua: string,
  browser: string,
  os: string,
  device: DeviceType,
  platform: Platform,
]

export const webkit = 'AppleWebKit/537.36 (KHTML, like Gecko)'
export const iosWebkit = 'AppleWebKit/605.1.15 (KHTML, like Gecko)'
