import type { Config } from '../config.ts'

/**
 * Returns the service's own hosts: the host of `BASE_URL`, and `OWN_HOSTS` on its port and the
 * default ports. If `BASE_URL` is not set, also includes localhost and the loopback addresses.
 */
export function listServiceHosts({
  baseUrl,
  baseUrlIsDefault,
  ownHosts,
}: Pick<Config, 'baseUrl' | 'baseUrlIsDefault' | 'ownHosts'>): string[] {
  const { host, port } = new URL(baseUrl)
  const loopbackHosts = baseUrlIsDefault ? ['localhost', '127.0.0.1', '[::1]'] : []
  const names = [...loopbackHosts, ...ownHosts].map((name) => (port ? `${name}:${port}` : name))
  return [...new Set([host, ...names, ...ownHosts])]
}
