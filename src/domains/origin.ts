import { invalid } from '../errors.ts'
import { normalizeHost } from './hosts.ts'

const ORIGIN_PATTERN = /^https?:\/\/([^/?#@\\\s]+)\/?$/i
const LABEL = '[a-z0-9_-]{1,63}'
const HOST_NAME_PATTERN = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`)

export type Origin = {
  /** The host in the form of a `Host` header. It identifies the domain. */
  host: string
  /** The scheme and host with which short URLs on the domain start. */
  origin: string
}

/**
 * Parses the URL of a branded domain: `http` or `https`, a host, and a port if it is not the
 * default. Normalizes case, IDN, default port and trailing dot like the WHATWG URL standard and the
 * `Host` header do.
 *
 * @throws AppError `invalid_input` naming `domain`
 */
export function parseOrigin(value: string): Origin {
  if (!/^https?:\/\//i.test(value)) throw invalid('domain', 'begins_with_scheme')
  const url = ORIGIN_PATTERN.test(value) && URL.canParse(value) ? new URL(value) : undefined
  const name = url?.hostname.replace(/\.$/, '') ?? ''
  if (!url || (!HOST_NAME_PATTERN.test(name) && !name.startsWith('['))) {
    throw invalid('domain', 'origin')
  }
  const host = url.port ? `${name}:${url.port}` : name
  return { host: normalizeHost(host), origin: `${url.protocol}//${host}` }
}
