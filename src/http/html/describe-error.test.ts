import { expect, test } from 'vitest'
import { AppError, invalid } from '../../errors.ts'
import { runWithLocale } from '../../texts.ts'
import { describeError } from './describe-error.ts'

test('errors are described in the language of the page, without the name of the field', () => {
  const errors = [
    invalid('title', 'too_long', { max: 255 }),
    invalid('rules[0].when.country', 'unknown_name', { kind: 'location', name: 'Atlantis' }),
    invalid('from', 'not_after_to'),
    new AppError('not_found', { text: 'rejections.link_unknown', args: { url: 'brev.example/a' } }),
    new AppError('alias_taken'),
    new AppError('invalid_input', { message: 'url is required' }),
  ]
  const describe = () => errors.map(describeError)
  expect(describe()).toEqual([
    'Must be at most 255 characters long.',
    'Is not a known location: Atlantis.',
    'Must not be after the end.',
    'There is no link at brev.example/a.',
    'That alias is taken. Please choose another one.',
    'url is required',
  ])
  expect(runWithLocale({ language: 'de' }, describe)).toEqual([
    'Darf höchstens 255 Zeichen lang sein.',
    'Ist unbekannt: Atlantis.',
    'Darf nicht nach dem Ende liegen.',
    'Unter brev.example/a gibt es keinen Link.',
    'Dieser Alias ist vergeben. Wählen Sie einen anderen.',
    'url is required',
  ])
})
