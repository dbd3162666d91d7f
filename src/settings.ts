import { DEFAULT_SITE_NAME, readSiteName } from './site-name.ts'
import { checkDatabaseUrl, checkSmtpUrl } from './urls/secret-url.ts'

/** The default value and the parser of one environment variable. */
type Setting<T> = {
  /** The value of an unset variable. */
  default: T
  /** @throws Error with a message that follows the variable's name, such as `must be …` */
  read(value: string): T
  /** Whether the value may contain a password and must never be shown. */
  secret?: boolean
}

/**
 * All settings with their defaults. `.env.example` describes them. They are parsed without a
 * library, because every process parses them at startup and loading a schema compiler takes 0.3 s
 * (docs/performance-notes.md).
 */
export const SETTINGS = {
  HOST: text('127.0.0.1'),
  PORT: integer(3000, 0, 65_535),
  BASE_URL: text(''),
  OWN_HOSTS: text(''),
  ROLE: oneOf('main', ['main', 'edge']),
  MAIN_URL: { ...text(''), secret: true },
  EDGE_TOKEN: { ...text(''), secret: true },
  DATABASE_URL: secretUrl(checkDatabaseUrl),
  DATA_DIR: text('./data'),
  RATE_LIMIT_PER_MINUTE: integer(30, 1, 1_000_000_000),
  WORKERS: integer(1, 1, 256),
  TRUST_PROXY: text(''),
  CLIENT_ADDRESS_HEADER: headerName(),
  COUNTRY_HEADER: headerName(),
  DRAIN_SECONDS: integer(5, 0, 600),
  WATCHDOG_SECONDS: integer(10, 0, 3600),
  CONNECTIONS_PER_ADDRESS: integer(256, 0, 10_000),
  METRICS_ALLOW: text(''),
  DOMAIN_CHECK: oneOf('on', ['on', 'off']),
  LINK_CHECK: oneOf('off', ['daily', 'off']),
  REGISTRATION: oneOf('open', ['open', 'closed']),
  CONSOLE: oneOf('on', ['on', 'off']),
  SITE_NAME: { default: DEFAULT_SITE_NAME, read: readSiteName },
  OIDC_ISSUER: text(''),
  OIDC_CLIENT_ID: text(''),
  OIDC_CLIENT_SECRET: { ...text(''), secret: true },
  OIDC_NAME: text('single sign-on'),
  OIDC_ADMIN_GROUP: text(''),
  PASSWORD_SIGN_IN: oneOf('on', ['on', 'off']),
  SMTP_URL: secretUrl(checkSmtpUrl),
  MAIL_FROM: text(''),
  MAILS_PER_HOUR: integer(200, 1, 1_000_000),
  DESTINATION_SCHEMES: text(''),
  ALIAS_MATCH: oneOf('forgiving', ['forgiving', 'exact']),
  YOURLS_API: oneOf('on', ['on', 'off']),
  MCP: oneOf('on', ['on', 'off']),
  REGISTRATIONS_PER_DAY: integer(20, 0, 1_000_000_000),
  LINKS_PER_ACCOUNT: integer(1_000_000, 0, 1_000_000_000),
  BIO_PAGES_PER_ACCOUNT: integer(1000, 0, 1_000_000),
  STORAGE_MB_PER_ACCOUNT: integer(2048, 0, 10_000_000),
  STORAGE_MB_PER_PRO_ACCOUNT: integer(0, 0, 10_000_000),
  ANSWER_RETENTION_DAYS: integer(365, 1, 36_500),
  GEOIP_DB: text(''),
  LOGO_DIR: text(''),
  PIXELS_FILE: text(''),
  BOTS_FILE: text(''),
  OUTBOUND_ALLOW: text(''),
  IMPORT_TOKEN: { ...text(''), secret: true },
  IMPORT_UPLOAD_MB: integer(512, 1, 100_000),
  IMPORT_UPLOADS_MB: integer(4096, 1, 10_000_000),
  CLICK_SYNC: oneOf('background', ['background', 'fsync']),
  CLICK_RETENTION_DAYS: integer(365, 1, 36_500),
  JOURNAL_KEEP_HOURS: integer(0, 0, 720),
  JOURNAL_RESERVE_MB: integer(64, 0, 100_000),
  MIGRATE_ON_START: trueOrFalse(true),
  LIST_ERROR: oneOf('string', ['string', 'number']),
  ACCESS_LOG: oneOf('off', ['on', 'off']),
  LOG_LEVEL: oneOf('info', ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']),
}

type Name = keyof typeof SETTINGS

/** The names of the settings that may contain a password. */
export const SECRETS = Object.entries(SETTINGS).flatMap(([name, setting]) =>
  'secret' in setting ? [name] : [],
)

export type Settings = { [Each in Name]: (typeof SETTINGS)[Each]['default'] }

/**
 * Returns the value of every setting, without spaces around it. An empty variable counts as unset.
 * Unknown variables are ignored.
 *
 * @throws Error with one line per invalid value, naming its variable
 */
export function readSettings(env: Record<string, string | undefined>): Settings {
  const problems: string[] = []
  const values = Object.entries(SETTINGS).map(([name, setting]) => {
    const isSecret = 'secret' in setting
    const raw = isSecret ? env[name] : env[name]?.trim()
    if (!raw?.trim()) return [name, setting.default]
    // A service manager or container may pass on quotes, which would become a part of a path.
    if (!isSecret && /^(["']).*\1$/.test(raw)) {
      problems.push(`${name} must not be in quotes (it is ${raw})`)
      return [name, setting.default]
    }
    try {
      return [name, setting.read(raw)]
    } catch (error) {
      const quotedValue = isSecret ? '' : ` (it is '${raw}')`
      problems.push(
        `${name} ${error instanceof Error ? error.message : String(error)}${quotedValue}`,
      )
      return [name, setting.default]
    }
  })
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return Object.fromEntries(values)
}

function text(defaultValue: string): Setting<string> {
  return { default: defaultValue, read: (value) => value }
}

function integer(defaultValue: number, min: number, max: number): Setting<number> {
  return {
    default: defaultValue,
    read(value) {
      const number = Number(value)
      if (Number.isInteger(number) && number >= min && number <= max) return number
      throw new Error(`must be a whole number from ${min} to ${max}`)
    },
  }
}

function oneOf<const Choice extends string>(
  defaultValue: NoInfer<Choice>,
  choices: readonly Choice[],
): Setting<Choice> {
  return {
    default: defaultValue,
    read(value) {
      const choice = choices.find((each) => each === value)
      if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}`)
      return choice
    },
  }
}

function trueOrFalse(defaultValue: boolean): Setting<boolean> {
  const { read } = oneOf(String(defaultValue) as 'true' | 'false', ['true', 'false'])
  return { default: defaultValue, read: (value) => read(value) === 'true' }
}

/** A header's name in lowercase (RFC 9110, section 5.6.2). */
function headerName(): Setting<string> {
  return {
    default: '',
    read(value) {
      const name = value.trim().toLowerCase()
      if (/^[a-z0-9!#$%&'*+.^_`|~-]+$/.test(name)) return name
      throw new Error('must be the name of a header, such as cf-connecting-ip')
    },
  }
}

function secretUrl(read: (value: string) => string): Setting<string> {
  return { default: '', secret: true, read }
}
