import { expect, test } from 'vitest'
import { SETTINGS } from './settings.ts'
import { findMisspelledSettings } from './settings-typos.ts'

test.for([
  ['BASEURL', 'BASE_URL'],
  ['base_url', 'BASE_URL'],
  ['BREVIS_DATA_DIR', 'DATA_DIR'],
  ['DATABASE_URI', 'DATABASE_URL'],
  ['REGISTRATOIN', 'REGISTRATION'],
  ['CLICK_RETENTION_DAY', 'CLICK_RETENTION_DAYS'],
  ['TRUSTED_PROXY', 'TRUST_PROXY'],
] as const)('%s is named with %s', ([name, setting]) => {
  expect(findMisspelledSettings({ [name]: 'x' })).toEqual([
    `${name} is not a setting: did you mean ${setting}?`,
  ])
})

test('settings and the variables of other programs are not named', () => {
  const others = ['HOSTNAME', 'HOME', 'PATH', 'POST', 'LOGNAME', 'NODE_ENV', 'POSTGRES_PASSWORD']
  const names = [...Object.keys(SETTINGS), ...others]
  expect(findMisspelledSettings(Object.fromEntries(names.map((name) => [name, 'x'])))).toEqual([])
  const kubernetes = { BREVIS_PORT: 'tcp://10.0.0.1:80', BREVIS_SERVICE_HOST: '10.0.0.1' }
  expect(findMisspelledSettings(kubernetes)).toEqual([])
})
