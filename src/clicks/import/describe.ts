import { memo } from '../../concurrency/memo.ts'
import type { Robot } from '../../visitors/crawler.ts'
import type { ParsedUserAgent } from '../../visitors/user-agent.ts'
import { AUTOMATED_LABEL, SCAN_LABEL } from '../encoding/fixed-labels.ts'
import type { LabelKindName } from '../encoding/label-kinds.ts'
import { toLabelText } from '../encoding/label-text.ts'
import type { Uncounted } from '../encoding/uncounted-visits.ts'
import type { ClickRecord } from '../journal/format.ts'

/** A click's visitor and its label of each kind. */
export type ClickDescription = {
  /** A hash of the visitor's IP address and User-Agent. */
  visitor: bigint
  /** Whether the visit does not count as a click. */
  crawler: boolean
  /** Why it does not count. Earlier edges do not say. */
  uncounted?: Uncounted | undefined
  /** The name of a program that is in no list. */
  program?: string | undefined
} & Readonly<Record<LabelKindName, string | undefined>>

/** Derives the description of a click from the visitor's IP address and request headers. */
export type DescribeClick = (click: Omit<ClickRecord, 'linkId' | 'at'>) => ClickDescription

/** Pure functions from `visitors/` that produce a description. */
export type VisitorFacts = {
  visitorHash: (address: string, userAgent: string) => bigint
  /** Returns the label of a reported country code, or else of the IP address. */
  countryLabel: (address: string, code: string | undefined) => string
  parseUserAgent: (userAgent: string) => ParsedUserAgent
  /** Returns whether a User-Agent names a browser that always sends all headers over https. */
  namesFullBrowser: (userAgent: string) => boolean
  findRobot: (userAgent: string) => Robot | undefined
  findProgram: (userAgent: string) => string | undefined
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
    return {
      browser: toLabelText(browser),
      os: toLabelText(removeLongVersion(os)),
      device,
      isFullBrowser: facts.namesFullBrowser(userAgent),
      robot: facts.findRobot(userAgent),
      program: facts.findProgram(userAgent),
    }
  })
  // The object lets `memo` also cache an undefined language.
  const languageOf = memo((header: string) => ({ code: facts.preferredLanguage(header) }))
  return ({
    address,
    userAgent,
    referrer,
    languages,
    variant,
    country: code,
    isScan,
    lacksBrowserHeaders,
    uncounted: reason,
  }) => {
    const { browser, os, device, isFullBrowser, robot, program } = agents(userAgent)
    // A robot by its User-Agent stays one, also if it prefetches or sends HEAD.
    const uncounted = robot ?? describeUncounted(reason, browser, variant)
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
      crawler: uncounted !== undefined,
      uncounted,
      program,
      variant: variant === undefined || uncounted ? undefined : toLabelText(variant),
      source: isScan ? SCAN_LABEL : undefined,
      automated: lacksBrowserHeaders && isFullBrowser && !uncounted ? AUTOMATED_LABEL : undefined,
    }
  }
}

/** Describes a visit that the worker did not count. The variant of a robot's visit is its name. */
function describeUncounted(
  reason: ClickRecord['uncounted'],
  browser: string,
  variant: string | undefined,
): Uncounted | undefined {
  if (reason === undefined) return undefined
  if (reason === 'robot') return { kind: 'crawler', name: toLabelText(variant ?? browser) }
  return { kind: reason, name: browser }
}

/**
 * Removes a version of four or more digits, so that made-up versions cannot fill the statistics.
 */
function removeLongVersion(os: string): string {
  return os.replace(/ \d{4,}$/, '')
}
