import { describe, expect, test } from 'vitest'
import { readConfig } from './config.ts'
import { rejectCutSecrets } from './env-file.ts'
import { readSettings, SECRETS, SETTINGS } from './settings.ts'

const defaults = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, setting]) => [name, setting.default]),
)

test('unset and empty variables have defaults, and unknown variables are ignored', () => {
  expect(readSettings({})).toEqual(defaults)
  expect(readSettings({ PORT: '', WORKERS: '  ', HOST: undefined, HOME: '/' })).toEqual(defaults)
  expect(defaults).toMatchObject({
    PORT: 3000,
    CONSOLE: 'on',
    MIGRATE_ON_START: true,
    BASE_URL: '',
  })
})

test.each([
  ['PORT', '0', 0],
  ['PORT', '65535', 65_535],
  ['LINKS_PER_ACCOUNT', '1000000000', 1_000_000_000],
  ['HOST', ' ::1', '::1'],
  ['DATA_DIR', ' /var/lib/brevis ', '/var/lib/brevis'],
  ['OIDC_CLIENT_SECRET', "'secret' ", "'secret' "],
  ['CONSOLE', 'off', 'off'],
  ['SITE_NAME', ' Kürzel & Söhne ', 'Kürzel & Söhne'],
  ['LOG_LEVEL', 'silent', 'silent'],
  ['MIGRATE_ON_START', 'true', true],
  ['MIGRATE_ON_START', 'false', false],
  ['DATABASE_URL', 'postgres://db/brevis', 'postgres://db/brevis'],
  ['DATABASE_URL', 'postgresql://db/brevis', 'postgresql://db/brevis'],
])('%s may be %j', (name, input, value) => {
  expect(readSettings({ [name]: input })).toEqual({ ...defaults, [name]: value })
})

test.each([
  ['PORT', '-1', 'must be a whole number from 0 to 65535'],
  ['PORT', '65536', 'must be a whole number from 0 to 65535'],
  ['PORT', '80.5', 'must be a whole number from 0 to 65535'],
  ['PORT', '80 81', 'must be a whole number from 0 to 65535'],
  ['WORKERS', 'NaN', 'must be a whole number from 1 to 256'],
  ['WORKERS', 'Infinity', 'must be a whole number from 1 to 256'],
  ['CONSOLE', 'On', 'must be one of on, off'],
  ['SITE_NAME', 'a\nb', 'must have at most 60 characters, on one line'],
  ['SITE_NAME', 'n'.repeat(61), 'must have at most 60 characters, on one line'],
  ['MIGRATE_ON_START', '1', 'must be one of true, false'],
  ['LIST_ERROR', 'toString', 'must be one of string, number'],
])('%s may not be %j', (name, input, problem) => {
  expect(() => readSettings({ [name]: input })).toThrow(`${name} ${problem} (it is '${input}')`)
})

test.each(['"/data"', "'/data'"])('DATA_DIR may not be %s', (DATA_DIR) => {
  expect(() => readSettings({ DATA_DIR })).toThrow(
    `DATA_DIR must not be in quotes (it is ${DATA_DIR})`,
  )
})

test('an error does not show an invalid database URL, which may contain a password', () => {
  expect(() => readSettings({ DATABASE_URL: 'mysql://me:secret@db/brevis' })).toThrow(
    /^DATABASE_URL must begin with postgres:\/\/ or postgresql:\/\/$/,
  )
})

test('all errors are reported together', () => {
  expect(() => readSettings({ PORT: 'abc', HOST: 'here', LOG_LEVEL: 'loud' })).toThrow(
    /^PORT [^\n]+\nLOG_LEVEL [^\n]+$/,
  )
})

test('a file of bots that cannot be read is reported with the other errors', () => {
  expect(() => readConfig({ BOTS_FILE: '/nonexistent/bots.json', OWN_HOSTS: '://' })).toThrow(
    /^OWN_HOSTS .*\nBOTS_FILE \/nonexistent\/bots\.json cannot be read: ENOENT/,
  )
})

describe('a URL with a password', () => {
  const passwords = [
    'p@ss#w',
    'p/w',
    '1/w',
    'p?w',
    '1?w',
    '1/2?3',
    'p@ss/w',
    'p@ss?w',
    '100%',
    '%E9',
  ]
  const urls = passwords.flatMap((password) => [
    ['DATABASE_URL', `postgres://me:${password}@db.example:5432/brevis`],
    ['SMTP_URL', `smtps://me:${password}@mail.example`],
  ])

  test.each(urls)('%s may not be %j, which is not percent-encoded', (name, input) => {
    expect(() => readSettings({ [name as string]: input })).toThrow(
      /^\w+ is not a valid URL\. Percent-encode special characters in its user and password, such as %23 for #, %2F for \/, %3F for \? and %25 for %$/,
    )
  })

  test.each([
    'postgres://me:p%40ss%23w@db.example/brevis',
    'postgres://me@server:p@ss@db.example/brevis?sslmode=require',
    'postgres:///brevis?host=/run/postgresql&user=me@server',
    'postgres://me:pw@/brevis?host=/run/postgresql',
    'postgres://me:$^&*()[]|:;+=,~`<>{}"@[::1]:5432/brevis',
  ])('DATABASE_URL may be %j', (url) => {
    expect(readSettings({ DATABASE_URL: url }).DATABASE_URL).toBe(url)
  })

  test.each([
    ['DATABASE_URL', 'postgres://me:secret@db/brevis?sslmode=allow', 'has an unknown sslmode'],
    ['SMTP_URL', 'smtp://', 'must name a host'],
    ['SMTP_URL', 'me:secret@mail.example', 'must begin with smtp:// or smtps://'],
  ])('%s may not be %j', (name, input, problem) => {
    const read = () => readSettings({ [name]: input })
    expect(read).toThrow(`${name} ${problem}`)
    expect(read).not.toThrow(/secret/)
  })

  test('BASE_URL may not contain one, and the error does not show it', () => {
    expect(() => readConfig({ BASE_URL: 'https://me:p@ss#w@brev.example' })).toThrow(
      /^BASE_URL must not contain a user or password$/,
    )
  })
})

describe('a secret in .env', () => {
  test.each([
    ['an unquoted # cuts off', 'DATABASE_URL=postgres://me:p@ss#w@db/brevis'],
    ['an unquoted # cuts off at the start', 'PORT=1\nexport EDGE_TOKEN = #abc'],
    ['an unquoted # cuts off a secret with spaces', 'OIDC_CLIENT_SECRET=a b#c\r\n'],
  ])('that %s is rejected by name', (_case, text) => {
    expect(() => rejectCutSecrets(text, SECRETS)).toThrow(
      /^(DATABASE_URL|EDGE_TOKEN|OIDC_CLIENT_SECRET) in \.env has a # that begins a comment\. Put the value in quotes, and in a URL, percent-encode the # as %23$/,
    )
  })

  test.each([
    "DATABASE_URL='postgres://me:p#w@db/brevis' # quoted",
    'EDGE_TOKEN=abc # a comment',
    '#SMTP_URL=smtp://me:p#w@mail.example',
    'OIDC_NAME=Team#1',
  ])('is accepted in %j', (text) => {
    expect(() => rejectCutSecrets(text, SECRETS)).not.toThrow()
  })
})
