import { readFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { join, resolve } from 'node:path'
import ipaddr from 'ipaddr.js'
import { readMainInstallation } from './edge/edge-settings.ts'
import { rejectCutSecrets } from './env-file.ts'
import { readOidcSettings } from './identity/oidc/oidc-settings.ts'
import { readSettings, SECRETS, type Settings } from './settings.ts'
import { readDestinationSchemes } from './urls/destination-url.ts'
import { readBotsFile } from './visitors/bots-file.ts'

export type Config = Readonly<ReturnType<typeof readConfig>>

/**
 * Reads the settings from environment variables. `.env.example` describes them. An empty variable
 * counts as unset.
 *
 * @throws Error with one line per invalid value, which starts with the name of its variable
 */
export function readConfig(env: Record<string, string | undefined> = process.env) {
  const values = readSettings(env)
  const problems: string[] = []
  const check = <T>(name: string, read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      problems.push(`${name} ${error instanceof Error ? error.message : String(error)}`)
      return undefined
    }
  }
  /** Like `check`, for readers whose error messages already name the variable. */
  const checkAll = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
      return undefined
    }
  }
  const trustProxy = check('TRUST_PROXY', () => readCidrs(values.TRUST_PROXY)) ?? []
  for (const name of ['CLIENT_ADDRESS_HEADER', 'COUNTRY_HEADER'] as const) {
    if (values[name] && !values.TRUST_PROXY)
      problems.push(`${name} needs TRUST_PROXY, because no other peer's header is trusted`)
  }
  const metricsAllow = check('METRICS_ALLOW', () => readCidrs(values.METRICS_ALLOW)) ?? []
  const outboundAllow = check('OUTBOUND_ALLOW', () => readCidrs(values.OUTBOUND_ALLOW)) ?? []
  const baseUrl =
    check('BASE_URL', () => readOrigin(values.BASE_URL || getDefaultBaseUrl(values))) ?? ''
  const ownHosts = check('OWN_HOSTS', () => readHostNames(values.OWN_HOSTS)) ?? []
  const destinationSchemes =
    check('DESTINATION_SCHEMES', () => readDestinationSchemes(values.DESTINATION_SCHEMES)) ?? []
  const mail = check('MAIL_FROM', () => readMailSettings(values))
  const oidc = check('OIDC_ISSUER', () => readOidcSettings(values))
  const main = checkAll(() => readMainInstallation(values))
  const botNames = checkAll(() => readBotsFile(toFile(values.BOTS_FILE) ?? '')) ?? {}
  if (problems.length > 0) throw new Error(problems.join('\n'))
  const dataDir = resolve(values.DATA_DIR)
  return Object.freeze({
    host: values.HOST,
    port: values.PORT,
    baseUrl,
    baseUrlIsDefault: values.BASE_URL === '',
    ownHosts,
    databaseUrl: values.DATABASE_URL || undefined,
    /** The main installation. Undefined unless this is an edge. */
    main,
    /** The token that edges must send. Undefined if this installation has no edges. */
    edgeToken: main ? undefined : values.EDGE_TOKEN || undefined,
    dataDir,
    journalDir: join(dataDir, 'journal'),
    rateLimitPerMinute: values.RATE_LIMIT_PER_MINUTE,
    workers: values.WORKERS,
    trustProxy,
    clientAddressHeader: values.CLIENT_ADDRESS_HEADER || undefined,
    countryHeader: values.COUNTRY_HEADER || undefined,
    watchdogSeconds: values.WATCHDOG_SECONDS,
    drainMs: values.DRAIN_SECONDS * 1000,
    connectionsPerAddress: values.CONNECTIONS_PER_ADDRESS,
    metricsAllow,
    domainCheck: values.DOMAIN_CHECK === 'on',
    linkCheck: values.LINK_CHECK === 'daily',
    registrationOpen: !main && values.REGISTRATION === 'open',
    console: !main && values.CONSOLE === 'on',
    siteName: values.SITE_NAME,
    mail,
    oidc,
    passwordSignIn: values.PASSWORD_SIGN_IN === 'on',
    destinationSchemes,
    aliasMatch: values.ALIAS_MATCH,
    yourlsApi: values.YOURLS_API === 'on',
    mcp: values.MCP === 'on',
    registrationsPerDay: values.REGISTRATIONS_PER_DAY,
    linksPerAccount: values.LINKS_PER_ACCOUNT,
    bioPagesPerAccount: values.BIO_PAGES_PER_ACCOUNT,
    /** The maximum number of bytes per account, by plan. 0 for no limit. */
    bytesPerAccount: {
      free: values.STORAGE_MB_PER_ACCOUNT * 1024 * 1024,
      pro: values.STORAGE_MB_PER_PRO_ACCOUNT * 1024 * 1024,
    },
    answerRetentionDays: values.ANSWER_RETENTION_DAYS,
    geoipFile: values.GEOIP_DB ? resolve(values.GEOIP_DB) : undefined,
    logoDir: values.LOGO_DIR ? resolve(values.LOGO_DIR) : undefined,
    pixelsFile: toFile(values.PIXELS_FILE),
    botNames,
    outboundAllow,
    importToken: values.IMPORT_TOKEN,
    importUploadBytes: values.IMPORT_UPLOAD_MB * 1024 * 1024,
    importUploadsBytes: values.IMPORT_UPLOADS_MB * 1024 * 1024,
    clickSync: values.CLICK_SYNC,
    clickRetentionDays: values.CLICK_RETENTION_DAYS,
    journalKeep: {
      hours: values.JOURNAL_KEEP_HOURS,
      minFreeBytes: values.JOURNAL_RESERVE_MB * 1024 * 1024,
    },
    journalReserveBytes: values.JOURNAL_RESERVE_MB * 1024 * 1024,
    migrateOnStart: values.MIGRATE_ON_START,
    listError: values.LIST_ERROR,
    logLevel: values.LOG_LEVEL,
    accessLog: values.ACCESS_LOG === 'on',
  })
}

/** Returns the absolute path of a JSON file, or its content (`pinFiles`). */
function toFile(value: string): string | undefined {
  return value.startsWith('{') ? value : value ? resolve(value) : undefined
}

export type MailSettings = { smtpUrl: string; from: string; perHour: number }

/** Returns the mail settings, or undefined if mail is not set up. */
function readMailSettings(values: Settings): MailSettings | undefined {
  if (!values.SMTP_URL) return undefined
  const { MAIL_FROM: from, MAILS_PER_HOUR: perHour } = values
  // Either an email address, or a name followed by an email address in angle brackets.
  if (!/^(?:[^<>\p{Cc}]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/u.test(from)) {
    throw new Error('must be an email address, such as Brevis <brevis@example.com>')
  }
  return { smtpUrl: values.SMTP_URL, from, perHour }
}

/** Returns the environment for a child process: the current one with overrides. */
export function createChildEnvironment(overrides: Record<string, string>): NodeJS.ProcessEnv {
  return { ...process.env, ...overrides }
}

/** Linux starts no process with a variable above 128 KiB. */
const MAX_PINNED_BYTES = 100 * 1024

/**
 * Replaces the paths of the operator's JSON files in the environment by the files' content, so that
 * processes that are started again later do not read files that have changed since.
 */
export function pinFiles(): void {
  for (const name of ['BOTS_FILE', 'PIXELS_FILE']) {
    const file = process.env[name]
    if (!file?.trim()) continue
    try {
      const json = JSON.stringify(JSON.parse(readFileSync(file, 'utf8')))
      if (json.startsWith('{') && Buffer.byteLength(json) <= MAX_PINNED_BYTES)
        process.env[name] = json
    } catch {
      // The process that needs the file reports the error.
    }
  }
}

/** Variables that Node.js and its child processes need. They are not settings. */
const RUNTIME_VARIABLES = [
  'PATH',
  'LD_LIBRARY_PATH',
  'TMPDIR',
  'NODE_COMPILE_CACHE',
  'NODE_V8_COVERAGE',
]

/**
 * Returns the environment for a child process that handles untrusted data. It contains no settings.
 */
export function createBareEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(RUNTIME_VARIABLES.map((name) => [name, process.env[name]]))
}

/**
 * Loads `.env` from the working directory, if it exists. Variables that are already set keep their
 * values.
 *
 * @throws Error naming a secret that is cut off in the file
 */
export function loadEnvFile(): void {
  const unset = SECRETS.filter((name) => process.env[name] === undefined)
  try {
    process.loadEnvFile()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return
    throw error
  }
  rejectCutSecrets(readFileSync('.env', 'utf8'), unset)
}

function getDefaultBaseUrl({ HOST, PORT }: Settings): string {
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${PORT}`
}

function readOrigin(value: string): string {
  if (value.includes('@')) throw new Error('must not contain a user or password')
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw new Error(`must be an http or https URL (it is '${value}')`)
  }
  if (url.pathname !== '/' || url.search || url.hash) {
    throw new Error(`must be an origin without a path (it is '${value}')`)
  }
  return url.origin
}

/** Parses a list of host names and IP addresses without ports. Returns them in the form of URLs. */
function readHostNames(value: string): readonly string[] {
  const list = value.split(',').map((entry) => entry.trim())
  return list.filter(Boolean).map((entry) => {
    const text = isIP(entry) === 6 ? `[${entry}]` : entry
    const url =
      /[/?#@\\\s]|:\d*$/.test(entry) && isIP(entry) === 0 ? null : URL.parse(`http://${text}`)
    if (!url) throw new Error(`must be a list of host names without ports ('${entry}' is not)`)
    return url.hostname.replace(/\.$/, '')
  })
}

function readCidrs(value: string): readonly string[] {
  const list = value.split(',').map((entry) => entry.trim())
  return list.filter(Boolean).map((entry) => {
    if (ipaddr.isValidCIDR(entry)) return entry
    if (ipaddr.isValid(entry)) return `${entry}/${isIP(entry) === 6 ? 128 : 32}`
    throw new Error(`must be a list of IP addresses or CIDR ranges ('${entry}' is neither)`)
  })
}
