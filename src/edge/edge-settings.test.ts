import { expect, test } from 'vitest'
import { readConfig } from '../config.ts'

const EDGE_TOKEN = 'a'.repeat(32)
const edgeSettings = {
  ROLE: 'edge',
  MAIN_URL: 'https://main.example',
  EDGE_TOKEN,
  BASE_URL: 'https://brev.example',
}

test.each(['https://main.example', 'https://main.example:8443', 'http://127.0.0.1:3000'])(
  'an edge accepts MAIN_URL=%s',
  (MAIN_URL) => {
    const config = readConfig({ ...edgeSettings, MAIN_URL })
    expect(config.main).toEqual({ url: MAIN_URL, token: EDGE_TOKEN })
    expect(config).toMatchObject({ edgeToken: undefined, console: false, registrationOpen: false })
  },
)

test.each([
  [{ MAIN_URL: '' }, 'MAIN_URL is required with ROLE=edge'],
  [{ MAIN_URL: 'main.example' }, 'MAIN_URL must be an https URL'],
  [{ MAIN_URL: 'ftp://main.example' }, 'MAIN_URL must be an https URL'],
  [
    { MAIN_URL: 'http://main.example' },
    'MAIN_URL must begin with https://, unless it is on this machine',
  ],
  [{ MAIN_URL: 'https://main.example/x' }, 'MAIN_URL must be an origin without a path'],
  [
    { MAIN_URL: 'https://user:secret@main.example' },
    'MAIN_URL must not contain a user or password',
  ],
  [{ EDGE_TOKEN: '' }, 'EDGE_TOKEN is required with ROLE=edge'],
  [
    { BASE_URL: '' },
    'BASE_URL is required with ROLE=edge, and must equal the BASE_URL of the main installation',
  ],
  [{ DATABASE_URL: 'postgres://db/brevis' }, 'DATABASE_URL must not be set with ROLE=edge'],
  [{ ROLE: 'main' }, 'MAIN_URL is only for edges. Remove it, or set ROLE=edge'],
])('an edge rejects %j', (changes, problem) => {
  expect(() => readConfig({ ...edgeSettings, ...changes })).toThrow(new Error(problem))
})

test.each(['main', 'edge'])('ROLE=%s rejects a weak token without revealing it', (ROLE) => {
  for (const token of ['short', `${'a'.repeat(40)} b`, `${'ä'.repeat(40)}`]) {
    const settings = {
      ...edgeSettings,
      ROLE,
      MAIN_URL: ROLE === 'edge' ? edgeSettings.MAIN_URL : '',
    }
    expect(() => readConfig({ ...settings, EDGE_TOKEN: token })).toThrow(
      new Error(
        'EDGE_TOKEN must have at least 32 characters, of letters, digits and . _ ~ + / = -',
      ),
    )
  }
})

test('all errors of an edge are reported together', () => {
  expect(() => readConfig({ ROLE: 'edge', PORT: '1' })).toThrow(
    /^MAIN_URL [^\n]+\nEDGE_TOKEN [^\n]+\nBASE_URL [^\n]+$/,
  )
})

test('a main installation reads the token of its edges', () => {
  expect(readConfig({ EDGE_TOKEN })).toMatchObject({ main: undefined, edgeToken: EDGE_TOKEN })
  expect(readConfig({}).edgeToken).toBeUndefined()
})
