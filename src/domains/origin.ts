import { invalid } from '../errors.ts'
import { normalizeHost } from './hosts.ts'

const FORM = /^https?:\/\/([^/?#@\\\s]+)\/?$/i
const LABEL = '[a-z0-9_-]{1,63}'
const NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`)

export type Origin = {
  /** As a `Host` header names it and as domains are told apart. */
  host: string
  /** Scheme and host, what short URLs on the domain begin with. */
  origin: string
}

/**
 * Reads the address of a branded domain: `http` or `https` and a host, with a port where it is not
 * the usual one. Case, IDN, a default port and the root's dot are normalised away, as the WHATWG URL
 * standard and the `Host` header do.
 *
 * @throws AppError `invalid_input` naming `domain`
 */
export function parseOrigin(value: string): Origin {
  if (!/^https?:\/\//i.test(value)) throw invalid('domain', 'must begin with http:// or https://')
  const url = FORM.test(value) && URL.canParse(value) ? new URL(value) : undefined
  const name = url?.hostname.replace(/\.$/, '') ?? ''
  if (!url || (!NAME.test(name) && !name.startsWith('['))) {
    throw invalid('domain', 'must be http:// or https:// and a host name, without a path')
  }
  const host = url.port ? `${name}:${url.port}` : name
  return { host: normalizeHost(host), origin: `${url.protocol}//${host}` }
}
