import type { FastifyRequest } from 'fastify'
import { parseUserAgent } from '../../visitors/user-agent.ts'

const UNKNOWN = 'Unknown'

/**
 * Returns a description of the browser and its system, such as `Firefox on Windows 10` or only
 * `Firefox`. Returns undefined if both are unknown.
 */
export function describeBrowser({ headers }: FastifyRequest): string | undefined {
  const { browser, os } = parseUserAgent(headers['user-agent'] ?? '')
  const parts = [browser, os].filter((part) => part !== UNKNOWN)
  return parts.length > 0 ? parts.join(' on ') : undefined
}
