import { memo } from '../../concurrency/memo.ts'
import type { ParsedUserAgent } from '../../visitors/user-agent.ts'
import type { LabelKindName } from '../encoding/label-kinds.ts'

/** A click's visitor and its label of each kind. */
export type ClickDescription = {
  /** A number in place of the visitor, the same for the same address and User-Agent. */
  visitor: bigint
  crawler: boolean
} & Readonly<Record<LabelKindName, string | undefined>>

export type DescribeClick = (click: {
  address: string
  userAgent: string
  referrer: string
  languages: string
}) => ClickDescription

/** The pure functions of `visitors/` that a description is made of. */
export type VisitorFacts = {
  visitorHash: (address: string, userAgent: string) => bigint
  countryLabel: (address: string) => string
  parseUserAgent: (userAgent: string) => ParsedUserAgent
  isCrawler: (userAgent: string) => boolean
  referrerHost: (header: string | undefined) => string | undefined
  referrerLabel: (host: string | undefined) => string
  socialNetwork: (host: string | undefined) => string | undefined
  preferredLanguage: (header: string) => string | undefined
}

/** A host name has at most 253 characters (RFC 1035, section 2.3.4); no label is longer. */
const MAX_LABEL = 253

/** Composes what is known of visitors into one function from a click's headers to its labels. */
export function createDescribeClick(facts: VisitorFacts): DescribeClick {
  const referrers = memo((header: string) => {
    const host = facts.referrerHost(header || undefined)
    return { label: toLabel(facts.referrerLabel(host)), social: facts.socialNetwork(host) }
  })
  const agents = memo((userAgent: string) => {
    const { browser, os, device } = facts.parseUserAgent(userAgent)
    const crawler = facts.isCrawler(userAgent)
    return { browser: toLabel(browser), os: toLabel(boundVersion(os)), device, crawler }
  })
  const languageOf = memo((header: string) => ({ code: facts.preferredLanguage(header) }))
  return ({ address, userAgent, referrer, languages }) => {
    const { browser, os, device, crawler } = agents(userAgent)
    const { label, social } = referrers(referrer)
    const country = facts.countryLabel(address)
    const visitor = facts.visitorHash(address, userAgent)
    const language = languageOf(languages).code
    return { visitor, country, referrer: label, browser, os, device, social, language, crawler }
  }
}

/** Whoever invents version numbers must not be able to fill the statistics with them. */
function boundVersion(os: string): string {
  return os.replace(/ \d{4,}$/, '')
}

/** Text that PostgreSQL accepts and that has a bounded length. */
function toLabel(text: string): string {
  const plain = /^[ -~]{1,253}$/.test(text)
  return plain ? text : text.replaceAll('\0', '').toWellFormed().slice(0, MAX_LABEL) || 'Unknown'
}
