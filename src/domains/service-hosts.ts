import type { Config } from '../config.ts'

/**
 * The hosts that are the service itself: that of `BASE_URL`, and `OWN_HOSTS` on its port and the usual
 * ones; without a `BASE_URL` also the other names of this machine.
 */
export function serviceHosts({
  baseUrl,
  baseUrlIsDefault,
  ownHosts,
}: Pick<Config, 'baseUrl' | 'baseUrlIsDefault' | 'ownHosts'>): string[] {
  const { host, port } = new URL(baseUrl)
  const machine = baseUrlIsDefault ? ['localhost', '127.0.0.1', '[::1]'] : []
  const names = [...machine, ...ownHosts].map((name) => (port ? `${name}:${port}` : name))
  return [...new Set([host, ...names, ...ownHosts])]
}
