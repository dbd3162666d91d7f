import { memo } from '../../concurrency/memo.ts'
import type { ParsedUserAgent } from '../../visitors/user-agent.ts'
import { SCAN_LABEL } from '../encoding/fixed-labels.ts'
import type { LabelKindName } from '../encoding/label-kinds.ts'
import { toLabelText } from '../encoding/label-text.ts'

/** A click's visitor and its label of each kind. */
export type ClickDescription = {
  /** A hash of the visitor's IP address and User-Agent. */
  visitor: bigint
  crawler: boolean
} & Readonly<Record<LabelKindName, string | undefined>>

/** Derives the description of a click from the visitor's IP address and request headers. */
export type DescribeClick = (click: {
  address: string
  userAgent: string
  referrer: string
  languages: string
  variant?: string | undefined
  country?: string | undefined
  isScan?: boolean | undefined
}) => ClickDescription

/** Pure functions from `visitors/` that produce a description. */
export type VisitorFacts = {
  visitorHash: (address: string, userAgent: string) => bigint
  /** Returns the label of a reported country code, or else of the IP address. */
  countryLabel: (address: string, code: string | undefined) => string
  parseUserAgent: (userAgent: string) => ParsedUserAgent
  isCrawler: (userAgent: string) => boolean
  referrerHost: (header: string | undefined) => string | undefined
  referrerLabel: (host: string | undefined) => string
  socialNetwork: (host: string | undefined) => string | undefined
  preferredLanguage: (header: string) => string | undefined
}

/** Creates the function that derives the labels of a click from its headers. */
export function createDescribeClick(facts: VisitorFacts): DescribeClick {
  const referrers = memo((header: string) => {
    const host = facts.referrerHost(header || undefined)
    return { label: toLabelText(facts.referrerLabel(host)), social: facts.socialNetwork(host) }
  })
  const agents = memo((userAgent: string) => {
    const { browser, os, device } = facts.parseUserAgent(userAgent)
    const crawler = facts.isCrawler(userAgent)
    return {
      browser: toLabelText(browser),
      os: toLabelText(removeLongVersion(os)),
      device,
      crawler,
    }
  })
  // The object lets `memo` also cache an undefined language.
  const languageOf = memo((header: string) => ({ code: facts.preferredLanguage(header) }))
  return ({ address, userAgent, referrer, languages, variant, country: code, isScan }) => {
    const { browser, os, device, crawler } = agents(userAgent)
    const { label, social } = referrers(referrer)
    const country = facts.countryLabel(address, code)
    const visitor = facts.visitorHash(address, userAgent)
    const language = languageOf(languages).code
    return {
      visitor,
      country,
      referrer: label,
      browser,
      os,
      device,
      social,
      language,
      crawler,
      variant: variant === undefined ? undefined : toLabelText(variant),
      source: isScan ? SCAN_LABEL : undefined,
    }
  }
}

/**
 * Removes a version of four or more digits, so that made-up versions cannot fill the statistics.
 */
function removeLongVersion(os: string): string {
  return os.replace(/ \d{4,}$/, '')
}
