import { expect, test } from 'vitest'
import { OutboundError } from '../net/outbound-error.ts'
import { PROOF_PATH, verifyDomain } from './domain-proof.ts'

/**
 * Verifies a domain whose proof is served only at URLs that start with `servedAt`. Returns the
 * result and the requested origins.
 */
async function checkDomain(domain: string, servedAt: string) {
  const requests: string[] = []
  const ctx = {
    hosts: { isReserved: () => false },
    outbound: {
      async fetch(url: string) {
        requests.push(url.replace(PROOF_PATH, ''))
        if (!url.startsWith(servedAt)) throw new OutboundError('unreachable')
        return { status: 200, contentType: 'text/plain', url, body: Buffer.from('token') }
      },
    },
    instance: { token: 'token' },
    config: { domainCheck: true },
  }
  const { origin, pointsHere } = await verifyDomain(ctx, 1, domain)
  return { origin, pointsHere, requests }
}

test.each([
  ['https://go.test', 'https://go.test', true, ['https://go.test']],
  ['https://go.test', 'http://go.test', true, ['https://go.test', 'http://go.test']],
  ['https://go.test', 'nowhere', false, ['https://go.test', 'http://go.test']],
  ['http://go.test', 'https://go.test', false, ['http://go.test']],
  ['https://go.test:8443', 'http://go.test', false, ['https://go.test:8443']],
])(
  'the domain %s, whose proof is served at %s, points here: %s',
  async (domain, servedAt, pointsHere, requests) => {
    expect(await checkDomain(domain, servedAt)).toEqual({ origin: domain, pointsHere, requests })
  },
)
