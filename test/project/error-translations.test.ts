import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { AppError, invalid } from '../../src/errors.ts'
import {
  describeError,
  translateProblem,
  translateStoredProblem,
} from '../../src/http/localization/error-text.ts'
import { OUTBOUND_REASONS, OutboundError } from '../../src/net/outbound-error.ts'
import { runWithLocale } from '../../src/texts.ts'
import { errorTextsOf, rowProblemsOf } from '../support/error-texts.ts'

const SOURCE = join(import.meta.dirname, '../../src')

/** Modules whose errors appear only in programs and terminals, in English. */
const NOT_IN_CONSOLE =
  /^(?:cli|backup|edge|process|embedded-postgres|http\/(?:[a-z]+-)?api|link-check)\//

/** Texts with translatable parameters, and texts only for callers of the API and the CLI. */
const IGNORED = [
  '{} {}',
  'must be {}',
  'must be {} than {}',
  'must be a username, since {} owns several accounts',
  'This API key is bound to {}; {}.',
  '{} cannot be read: {}',
  '{} is not a file',
  'The source requested a pause of {} seconds.',
]

/** Messages of errors that are wrapped in others, and of files that only the CLI reads. */
const NOT_STORED = ['{}.{}', '{}']

const files = globSync('**/*.ts', { cwd: SOURCE }).filter(
  (file) => !/\.(?:test|fixture)\.ts$/.test(file) && !NOT_IN_CONSOLE.test(file),
)

const inGerman = <T>(render: () => T) => runWithLocale({ language: 'de' }, render)

test('every error that the console may show has a German text', () => {
  const missing: string[] = []
  let count = 0
  for (const file of files) {
    for (const text of errorTextsOf(readFileSync(join(SOURCE, file), 'utf8'))) {
      if (IGNORED.includes(text)) continue
      count += 1
      const english = text.replaceAll('{}', '7')
      if (inGerman(() => translateProblem(english)) === english) missing.push(`${file}: ${text}`)
    }
  }
  expect(missing).toEqual([])
  expect(count).toBeGreaterThan(150)
})

test('every stored problem of an import has a German text', () => {
  const missing: string[] = []
  const readers = globSync('{*,read/*}.ts', { cwd: join(SOURCE, 'transfer') })
  for (const file of readers.filter((name) => !name.endsWith('.test.ts'))) {
    for (const text of rowProblemsOf(readFileSync(join(SOURCE, 'transfer', file), 'utf8'))) {
      const english = text.replaceAll('{}', '7')
      const isKnown = inGerman(() => translateStoredProblem(english)) !== english
      if (!isKnown && !NOT_STORED.includes(text)) missing.push(`${file}: ${text}`)
    }
  }
  expect(missing).toEqual([])
})

test('every reason of a failed outbound request has a German text', () => {
  const missing = OUTBOUND_REASONS.filter((reason) => {
    const { message } = new OutboundError(reason)
    return inGerman(() => translateProblem(message)) === message
  })
  expect([missing, OUTBOUND_REASONS.length]).toEqual([[], 6])
})

test('errors are translated with their parameters in the console and stay English elsewhere', () => {
  const tooLong = invalid('title', 'must be at most 255 characters long')
  const knownProblem = invalid('rules[0].when.country', 'is not a known location: Atlantis')
  const ownMessage = new AppError('not_found', 'There is no link at brev.example/a.')
  const texts = () =>
    [tooLong, knownProblem, ownMessage, new AppError('alias_taken')].map(describeError)
  expect(inGerman(texts)).toEqual([
    'Darf höchstens 255 Zeichen lang sein.',
    'Ist unbekannt: Atlantis.',
    'Unter brev.example/a gibt es keinen Link.',
    'Dieser Alias ist vergeben. Wählen Sie einen anderen.',
  ])
  expect(texts()).toEqual([
    'Must be at most 255 characters long.',
    'Is not a known location: Atlantis.',
    ownMessage.message,
    'That alias is taken. Please choose another one.',
  ])
})

test('stored problems are translated behind the name of their field or column', () => {
  const texts = [
    ['alias is a reserved word', 'alias ist ein reserviertes Wort'],
    ['"Long URL"[0].to is missing', '"Long URL"[0].to fehlt'],
    ['Column 3 is empty', 'Spalte 3 ist leer'],
    ['"is empty" must be a text', '"is empty" muss Text sein'],
    ['the alias is taken', 'der Alias ist vergeben'],
    [new AppError('too_many_links').message, 'Dieses Konto hat die Höchstzahl an Links erreicht.'],
    ['something else', 'something else'],
  ] as const
  for (const [english, translated] of texts) {
    expect(inGerman(() => translateStoredProblem(english))).toBe(translated)
    expect(translateStoredProblem(english)).toBe(english)
  }
})
