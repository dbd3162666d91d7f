import { expect } from 'vitest'
import type { Owner } from './make.ts'
import { appTest } from './test.ts'

export const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0'
export const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1'

/** A visit: `from` is the last part of the visitor's IP address, and `agent` the user agent. */
export type Click = {
  at: string
  from?: string
  agent?: string
  referer?: string
  languages?: string
}

/** Returns a `test` for statistics: `client` can visit links and request statistics as an owner. */
export function statsTest() {
  return appTest().extend('client', { scope: 'file' }, ({ app, request }) => {
    /** Visits a link at the given times and imports the clicks. */
    async function visit(url: string, clicks: readonly Click[]): Promise<void> {
      const { host, pathname } = new URL(url)
      for (const { at, from = '1', agent = FIREFOX, referer, languages } of clicks) {
        app.clock.set(at)
        const reply = await request({
          url: pathname,
          remoteAddress: `198.51.100.${from}`,
          headers: {
            host,
            'user-agent': agent,
            ...(referer && { referer }),
            ...(languages && { 'accept-language': languages }),
          },
        })
        expect(reply.statusCode).toBe(302)
      }
      await app.importClicks()
    }
    const get = (owner: Owner, path: string) => request({ url: path, headers: owner.headers })
    async function getStats(owner: Owner, path: string) {
      const reply = await get(owner, path)
      expect(reply.statusCode, reply.body).toBe(200)
      return reply.json().data
    }
    return { visit, getStats, get }
  })
}

/** Returns the steps of a timeline that have clicks, each as text such as `2026-11-01 2 1`. */
export const stepsWithClicks = ({
  timeline,
}: {
  timeline: { start: string; clicks: number; newVisitors: number }[]
}) => timeline.filter(({ clicks }) => clicks > 0).map((step) => Object.values(step).join(' '))
