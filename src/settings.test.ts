import { expect, test } from 'vitest'
import { readSettings, SETTINGS } from './settings.ts'

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
  ['HOST', ' ::1', ' ::1'],
  ['CONSOLE', 'off', 'off'],
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
  ['MIGRATE_ON_START', '1', 'must be one of true, false'],
  ['LIST_ERROR', 'toString', 'must be one of string, number'],
])('%s may not be %j', (name, input, problem) => {
  expect(() => readSettings({ [name]: input })).toThrow(`${name} ${problem} (it is '${input}')`)
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
