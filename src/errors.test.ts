import { expect, test } from 'vitest'
import { AppError, invalid, messageWith } from './errors.ts'

const names = { alias: 'custom', geoTargets: 'geotarget', metaImage: 'metaimage' }

test('an invalid input error has a field and a problem', () => {
  const error = invalid('geoTargets[0].location', 'is not known')
  expect(error).toMatchObject({ field: 'geoTargets[0].location', problem: 'is not known' })
  expect(error.message).toBe('geoTargets[0].location is not known')
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
  expect(messageWith(names, invalid(field, 'must be alias'))).toBe(`${name} must be alias`)
})

test('an error without a field keeps its text', () => {
  expect(messageWith(names, new AppError('alias_taken'))).toBe(new AppError('alias_taken').message)
  const error = new AppError('invalid_input', 'the client sent the word alias')
  expect(messageWith(names, error)).toBe(error.message)
})
