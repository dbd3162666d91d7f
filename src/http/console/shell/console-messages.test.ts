import { expect, expectTypeOf, test } from 'vitest'
import { consoleMessages } from '../../localization/console-messages.ts'
import { runWithLocale } from '../../localization/language.ts'
import { formatCount, formatPercent, formatShort } from './format-count.ts'
import { formatDate, formatMoment } from './format-day.ts'
import { pluralize } from './plural.ts'

const messages = consoleMessages({
  en: {
    title: 'Links',
    count: { one: '{n} link', other: '{n} links' },
    greet: (name: string) => `Hello ${name}`,
    steps: ['One', 'Two'],
  },
  de: {
    title: 'Verweise',
    count: { one: '{n} Verweis', other: '{n} Verweise' },
    greet: (name) => `Hallo ${name}`,
    steps: ['Eins', 'Zwei'],
  },
})
const { count, greet } = messages

test('messages are in the language of the request', () => {
  const texts = () => [messages.title, pluralize(1, count), pluralize(1234, count), greet('Ada')]
  expect(texts()).toEqual(['Links', '1 link', '1,234 links', 'Hello Ada'])
  runWithLocale({ language: 'de' }, () => {
    expect(texts()).toEqual(['Verweise', '1 Verweis', '1.234 Verweise', 'Hallo Ada'])
    expect(messages.steps).toEqual(['Eins', 'Zwei'])
    expect(Object.entries(messages.count)).toEqual([
      ['one', '{n} Verweis'],
      ['other', '{n} Verweise'],
    ])
  })
  expectTypeOf(messages.title).toEqualTypeOf<string>()
})

test('messages follow a language that is set later in the request', () => {
  const locale: { language: 'en' | 'de' } = { language: 'en' }
  runWithLocale(locale, () => {
    expect(messages.title).toBe('Links')
    locale.language = 'de'
    expect(messages.title).toBe('Verweise')
  })
})

test('numbers and dates follow the language', () => {
  const moment = new Date('2026-11-23T02:02:00Z')
  const texts = () => [
    formatCount(1_234_567),
    formatPercent(0.12),
    formatShort(1_200_000),
    formatDate(moment, 'UTC'),
    formatMoment(moment, 'Asia/Tokyo'),
  ]
  expect(texts()).toEqual(['1,234,567', '12%', '1.2M', 'Nov 23, 2026', 'Nov 23, 2026, 11:02'])
  const german = ['1.234.567', '12\u00a0%', '1,2\u00a0Mio.', '23.11.2026', '23.11.2026, 11:02']
  expect(runWithLocale({ language: 'de' }, texts)).toEqual(german)
})

test('missing, unknown or mismatched keys do not compile', () => {
  // @ts-expect-error `title` is missing
  consoleMessages({ en: { title: 'Links' }, de: {} })
  // @ts-expect-error `more` is unknown
  consoleMessages({ en: { title: 'Links' }, de: { title: 'Links', more: 'Mehr' } })
  // @ts-expect-error A plural form is missing
  consoleMessages({ en: { n: { one: '1', other: '2' } }, de: { n: { other: '2' } } })
  // @ts-expect-error The text has another parameter
  consoleMessages({ en: { f: (name: string) => name }, de: { f: (n: number) => `${n}` } })
})
