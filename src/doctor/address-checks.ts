import { randomBytes } from 'node:crypto'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Config } from '../config.ts'
import { PROOF_PATH } from '../domains/domain-proof.ts'
import { createMailer } from '../mail/mailer.ts'
import { type Finding, failure, formatAge, ok, runCheck, toMessage, warning } from './finding.ts'

const TIMEOUT_MS = 5000
const MIN_CERTIFICATE_AGE_MS = 14 * 86_400_000

/** Checks whether the service runs on this machine and is ready. */
export function checkService({ host, port }: Config): Promise<Finding> {
  const address = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  const origin = `http://${isIP(address) === 6 ? `[${address}]` : address}:${port}`
  return runCheck('service', 'Read its log.', async () => {
    const reply = await request(`${origin}/health/ready`).catch(() => undefined)
    if (!reply) return warning(`nothing responds at ${origin}`, 'Start the service.')
    if (reply.status === 200) return ok(`ready at ${origin}`)
    return failure(`not ready at ${origin}: ${await reply.text()}`, 'Correct the reason.')
  })
}

/**
 * Checks that BASE_URL leads to this installation, and that headers of a proxy are trusted. `token`
 * is that of the installation, if it is known.
 */
export async function checkBaseUrl(
  { baseUrl, baseUrlIsDefault, trustProxy }: Config,
  token: string | undefined,
): Promise<Finding[]> {
  const id = `doctor-${randomBytes(8).toString('hex')}`
  let echoedId: string | null | undefined
  const remedy = 'Correct BASE_URL, or the DNS and the proxy: docs/own-domain.md'
  const reached = await runCheck('base URL', remedy, async () => {
    const headers = { 'x-request-id': id }
    const reply = await request(`${baseUrl}${PROOF_PATH}`, headers).catch((error: unknown) => {
      throw new Error(`${baseUrl} cannot be reached: ${toMessage(getCause(error))}`)
    })
    echoedId = reply.headers.get('x-request-id')
    const isOurs = token === undefined ? reply.ok : (await reply.text()).trim() === token
    if (!isOurs) return failure(`${baseUrl} does not lead to this installation`, remedy)
    if (!baseUrlIsDefault) return ok(baseUrl)
    return warning(`${baseUrl}, because BASE_URL is not set`, 'Set BASE_URL to the public URL.')
  })
  const isBehindProxy = baseUrl.startsWith('https:')
  const isIgnored = isBehindProxy && echoedId !== null && echoedId !== undefined && echoedId !== id
  if (isBehindProxy && (trustProxy.length === 0 || isIgnored)) {
    const detail =
      trustProxy.length === 0
        ? 'BASE_URL is https, but TRUST_PROXY is empty, so all visitors have the address of the proxy'
        : 'the headers of the proxy are ignored, because its address is not in TRUST_PROXY'
    const proxyRemedy = 'Set TRUST_PROXY to the address of the proxy: docs/own-domain.md'
    return [reached, { check: 'proxy headers', ...warning(detail, proxyRemedy) }]
  }
  const detail = trustProxy.length === 0 ? 'no proxy is trusted' : `from ${trustProxy.join(', ')}`
  return [reached, { check: 'proxy headers', ...ok(detail) }]
}

/** Checks the certificate of BASE_URL and its expiration. */
export function checkCertificate({ baseUrl }: Config, now: Date): Promise<Finding> {
  const url = new URL(baseUrl)
  const remedy = 'Renew the certificate: docs/own-domain.md'
  return runCheck('TLS certificate', remedy, async () => {
    if (url.protocol !== 'https:') return ok('not used, because BASE_URL is http')
    const { problem, validUntil } = await readCertificate(url)
    const left = validUntil.getTime() - now.getTime()
    if (problem) return failure(`${url.hostname}: ${problem}`, remedy)
    const facts = `${url.hostname}: expires in ${formatAge(left)}`
    return left > MIN_CERTIFICATE_AGE_MS ? ok(facts) : warning(facts, remedy)
  })
}

/** Returns when the certificate of a host expires, and why it is not trusted. */
function readCertificate(url: URL): Promise<{ problem: string | undefined; validUntil: Date }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    problem: string | undefined
    validUntil: Date
  }>()
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const servername = isIP(host) === 0 ? { servername: host } : {}
  const port = Number(url.port || 443)
  // An untrusted certificate is reported with its reason instead of rejected.
  const socket = connect({ host, port, ...servername, rejectUnauthorized: false })
  socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error('no response')))
  socket.once('error', reject)
  socket.once('secureConnect', () => {
    const { authorizationError: problem } = socket
    const validUntil = new Date(socket.getPeerCertificate().valid_to)
    resolve({ problem: problem ? String(problem) : undefined, validUntil })
    socket.destroy()
  })
  return promise
}

/** Checks that the mail server accepts connections and the sign-in. Sends no email. */
export function checkMail({ mail }: Config): Promise<Finding> {
  return runCheck('mail', 'Correct SMTP_URL: docs/mail.md', async () => {
    if (!mail) return ok('not set up; links for users are shown for copying')
    await createMailer(mail).verify()
    return ok(`the mail server accepts email from ${mail.from}`)
  })
}

function request(url: string, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(url, { headers, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT_MS) })
}

/** `fetch` hides the reason in the cause. */
function getCause(error: unknown): unknown {
  return error instanceof Error && error.cause ? error.cause : error
}
