import { expect, test } from 'vitest'
import {
  AppError,
  checkAll,
  checkAllAsync,
  formatProblem,
  invalid,
  messageWith,
  type Problem,
  withField,
} from './errors.ts'
import { runWithLocale } from './texts.ts'

const names = { alias: 'custom', geoTargets: 'geotarget', metaImage: 'metaimage' }

test('an invalid input error has a field and a problem', () => {
  const error = invalid('geoTargets[0].location', 'too_long', { max: 5000 })
  expect(error).toMatchObject({ field: 'geoTargets[0].location', problem: 'too_long' })
  expect(error.message).toBe('geoTargets[0].location must be at most 5000 characters long')
})

test.each([
  ['alias', 'custom'],
  ['geoTargets', 'geotarget'],
  ['geoTargets[3].location', 'geotarget[3].location'],
  ['metaImage', 'metaimage'],
  ['aliases', 'aliases'],
  ['meta', 'meta'],
  ['meta.imageSize', 'meta.imageSize'],
  ['list.alias', 'list.alias'],
  ['constructor', 'constructor'],
])('the field %s of an error is renamed to %s', (field, name) => {
  const error = invalid(field, 'duplicate_name', { name: 'alias' })
  expect(messageWith(names, error)).toBe(`${name} is listed twice: alias`)
})

test('an error without a field keeps its text', () => {
  expect(messageWith(names, new AppError('alias_taken'))).toBe(new AppError('alias_taken').message)
  const error = new AppError('invalid_input', { message: 'the client sent the word alias' })
  expect(messageWith(names, error)).toBe(error.message)
})

test('an error about another field keeps its problem and arguments', () => {
  const error = withField(invalid('logo', 'at_most_mib', { max: 1 }), 'picture')
  expect(error).toMatchObject({ field: 'picture', problem: 'at_most_mib', status: 400 })
  expect(error.message).toBe('picture must be at most 1 MiB')
})

test('a problem is in the language of the request, behind the name of its field or column', () => {
  const problems: Problem[] = [
    { key: 'problems.missing', subject: '"Long URL"[0].to' },
    { key: 'problems.cell_empty', subject: 3 },
    { key: 'errors.too_many_links' },
    'sent by the source',
  ]
  const format = () => problems.map((problem) => formatProblem(problem))
  expect(runWithLocale({ language: 'de' }, format)).toEqual([
    '"Long URL"[0].to fehlt',
    'Spalte 3 ist leer',
    'Dieses Konto hat die Höchstzahl an Links erreicht.',
    'sent by the source',
  ])
  expect(format()).toEqual([
    '"Long URL"[0].to is missing',
    'Column 3 is empty',
    'This account has reached its maximum number of links.',
    'sent by the source',
  ])
})

test('no more checks run after a hundred errors', async () => {
  let ran = 0
  const checks = Array.from({ length: 50_000 }, (_, index) => () => {
    ran += 1
    throw invalid(`entries[${index}]`, 'empty')
  })
  expect(() => checkAll(...checks)).toThrow('entries[0] must not be empty')
  expect(ran).toBe(100)
  await expect(checkAllAsync(...checks)).rejects.toMatchObject({ field: 'entries[0]' })
  expect(ran).toBe(200)
})
