import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { connect } from 'node:tls'
import { readJournalOwner } from '../clicks/append.ts'
import { createImportState, openJournalFolder, readImportFailure } from '../clicks/read.ts'
import type { Config } from '../config.ts'
import { describeDatabase } from '../db/database-url.ts'
import { inspectServer } from '../db/inspect-server.ts'
import { getInstallationId } from '../db/installation-id.ts'
import { findInstance } from '../db/instance.ts'
import { openDatabase } from '../db/pool.ts'
import { PROOF_PATH } from '../domains/domain-proof.ts'
import { storeFolder } from '../links/store/store-file.ts'
import { findStoredOwner } from '../links/store/stored-instance.ts'
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

const MAX_CLOCK_DIFFERENCE_MS = 2000
const MAX_LAG_MS = 60_000
const TIMEOUTS = { connectTimeout: 5000, queryTimeout: 10_000 }

/**
 * Checks the database. If it cannot be reached, the only finding says why. `openUrl` returns its
 * URL, and starts the embedded one if necessary.
 */
export async function checkDatabase(
  config: Config,
  openUrl: () => Promise<string>,
): Promise<Finding[]> {
  let url: string
  try {
    url = await openUrl()
  } catch (error) {
    const remedy = 'Start the service once, or set DATABASE_URL or DATA_DIR as for the service.'
    return [{ check: 'database', ...failure(toMessage(error), remedy) }]
  }
  const server = await inspectServer(url, TIMEOUTS)
  const connection = await runCheck('database', 'Correct DATABASE_URL.', async () => {
    if (server.problem && !server.facts) throw server.problem
    return ok(`${describeDatabase(url)}, PostgreSQL ${server.facts?.versionName}`)
  })
  if (!server.facts) return [connection]
  const { problem, pending, timeDifferenceMs, facts } = server
  return [
    connection,
    {
      check: 'database requirements',
      ...(problem
        ? failure(problem.message, 'The service does not start before this is corrected.')
        : ok('encoding, session mode and privileges are right')),
    },
    {
      check: 'writable',
      ...(facts.isReadOnly
        ? failure(
            'the database is read-only',
            'Connect to the primary server, or reset default_transaction_read_only.',
          )
        : ok('the database accepts changes')),
    },
    ...(problem && pending.length === 0
      ? []
      : [
          {
            check: 'migrations',
            ...(pending.length > 0
              ? failure(`pending: ${pending.join(', ')}`, 'Run npx brevis migrate.')
              : ok('the schema is current')),
          },
        ]),
    {
      check: 'clock',
      ...(timeDifferenceMs > MAX_CLOCK_DIFFERENCE_MS
        ? warning(
            `${formatAge(timeDifferenceMs)} apart from the clock of the database`,
            'Synchronize both clocks, for example with chrony.',
          )
        : ok('agrees with the clock of the database')),
    },
    ...(problem || pending.length > 0 ? [] : await checkOwnData(config, url)),
  ]
}

/** Checks the files of this machine that belong to the database. */
async function checkOwnData(config: Config, url: string): Promise<Finding[]> {
  const database = openDatabase({ url, name: 'command', max: 2, ...TIMEOUTS })
  try {
    const remedy = 'Read the log of the service.'
    return [
      await runCheck('installation', remedy, async () => {
        const { token } = await findInstance(database.db)
        return compareOwners(config, getInstallationId(token))
      }),
      await runCheck('click journal', remedy, async () => {
        // Opening a journal creates it, which is left to the user of the service.
        if (!existsSync(join(config.journalDir, 'id'))) return ok('there is none yet')
        openJournalFolder(config.journalDir)
        const readState = createImportState({ db: database.db, journalDir: config.journalDir })
        return judgeJournal(
          await readState(new Date()),
          readImportFailure(config.journalDir)?.error,
        )
      }),
    ]
  } finally {
    await database.close()
  }
}

/** Compares the installation of the database with those of the journal and the link store. */
function compareOwners({ dataDir, journalDir }: Config, id: string) {
  const stored = findStoredOwner(storeFolder(dataDir))
  const storedId = stored && stored.links > 0 ? getInstallationId(stored.token) : id
  const journalId = readJournalOwner(journalDir)?.id ?? id
  if (journalId === id && storedId === id) return ok(id)
  return failure(
    `the database is installation ${id}, the click journal ${journalId}, the link store ${storedId}`,
    'Correct DATABASE_URL or DATA_DIR, so that they belong together.',
  )
}

type JournalState = { isRunning: boolean; waitingBytes: number; lagMs: number }

function judgeJournal(state: JournalState, lastError: string | undefined) {
  const { isRunning, waitingBytes, lagMs } = state
  const waiting =
    waitingBytes === 0
      ? 'all clicks are imported'
      : `${waitingBytes} bytes wait, the oldest click for ${formatAge(lagMs)}`
  if (lastError) return failure(`${waiting}; the import fails: ${lastError}`, 'Correct the error.')
  if (!isRunning) return warning(`${waiting}; no importer is running`, 'Start the service.')
  if (lagMs > MAX_LAG_MS)
    return warning(waiting, 'Check the load of the database: docs/operating.md')
  return ok(waiting)
}
