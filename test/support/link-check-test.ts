import type { RequestListener } from 'node:http'
import { createLinkChecker } from '../../src/links/check/check-links.ts'
import { startServer } from './http-server.ts'
import { appTest } from './test.ts'

export const DAY = 86_400

/**
 * Returns a `test` for the link check against `site`, a server on loopback whose responses tests
 * set by path. `checker` checks without pauses between requests.
 */
export function linkCheckTest() {
  return appTest({
    env: { LINK_CHECK: 'daily', OUTBOUND_ALLOW: '127.0.0.1/32' },
    // Every host name leads to `site`, except unknown ones.
    lookup: async (name) => {
      if (name.endsWith('.unknown.example')) throw new Error('no such name')
      return ['127.0.0.1']
    },
  })
    .extend('site', { scope: 'file' }, async ({ app: _ }, { onCleanup }) => {
      const pages = new Map<string, RequestListener>()
      const requests: string[] = []
      const server = await startServer((request, response) => {
        const path = request.url ?? ''
        requests.push(`${request.method} ${path}`)
        const page = pages.get(path)
        if (page) page(request, response)
        else response.end('a page')
      })
      onCleanup(server.close)
      let hosts = 0
      return {
        port: server.port,
        /** Returns the received requests of a path, such as `GET /page-1`. */
        requests: (path: string) => requests.filter((request) => request.endsWith(` ${path}`)),
        /** Adds a page, by default on a new host, and returns its URL. */
        page(listener?: RequestListener, host?: string): { url: string; path: string } {
          hosts += 1
          const path = `/page-${hosts}`
          if (listener) pages.set(path, listener)
          return { path, url: `http://${host ?? `host${hosts}.example`}:${server.port}${path}` }
        },
        set: (path: string, listener: RequestListener) => pages.set(path, listener),
      }
    })
    .extend('checker', { scope: 'file' }, ({ app }, { onCleanup }) => {
      const { db } = app.services
      const checker = createLinkChecker(app.services, db, { hostEveryMs: 0, timeoutMs: 3000 })
      onCleanup(checker.close)
      return {
        /** Checks all links that are due. */
        async check() {
          let after = 0
          do after = (await checker.checkSlice(after, new AbortController().signal)).next
          while (after > 0)
        },
      }
    })
    .extend('getStoredCheck', { scope: 'file' }, ({ app }) => async (id: number) => {
      const { rows } = await app.services.database.pool.query(
        `select problem, destination, failed_at is not null as failing, broken_at is not null as broken,
           postponed from link_checks where link_id = $1`,
        [id],
      )
      return rows[0]
    })
}
