import { appTest } from './test.ts'

/** Returns a destination whose last path segment is `name`. */
export const exampleUrl = (name: string) => `https://example.com/${name}`

/**
 * Returns a `test` for hosts: the service's own host and the domains of `owner` and `rival` each have
 * a link with the alias `same`.
 */
export function hostsTest() {
  return appTest({ env: { OWN_HOSTS: 'further.test, 192.0.2.9, 2001:db8::9' } }).extend(
    'hosts',
    { scope: 'file' },
    async ({ make, owner, request }) => {
      const rival = await make.owner()
      await make.domain(owner, { domain: 'https://own.test', redirect404: exampleUrl('own-404') })
      await make.domain(rival, {
        domain: 'https://rival.test',
        redirectRoot: exampleUrl('rival-root'),
      })
      await make.domain(rival, { domain: 'http://ports.test:8080' })
      for (const [caller, domain] of [
        [owner, undefined],
        [owner, 'own.test'],
        [rival, 'rival.test'],
        [rival, 'http://ports.test:8080'],
      ] as const) {
        const url = exampleUrl(domain?.replace(/\W+/g, '-') ?? 'service')
        await make.link(caller, { alias: 'same', url, ...(domain && { domain }) })
      }
      const visit = (host: string, url = '/same') => request({ url, headers: { host } })
      const getLocation = async (host: string, url?: string) =>
        (await visit(host, url)).headers.location
      return { rival, visit, getLocation }
    },
  )
}
