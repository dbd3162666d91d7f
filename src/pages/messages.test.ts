import { expect, test } from 'vitest'
import { contentPages, otherPages } from '../../test/fixtures/every-page.ts'
import { findForbiddenWords } from '../../test/fixtures/forbidden-words.ts'
import { visibleText } from '../../test/fixtures/visible-text.ts'
import { chooseLanguage } from './texts.ts'

const localizedPages = Object.entries({ ...contentPages, ...otherPages })
test.each(localizedPages)('%s has no text outside of messages', (_, render) => {
  // Because external content contains only digits, all Latin letters on a Japanese page are ours.
  const document = render({ nonce: 'n', language: 'ja' }, '12', 'https://192.0.2.1/34')
  const words = visibleText(document)
    .replace(/https:\S+|go\.example\/\S+|Brevis/g, '')
    .match(/[A-Za-z]+/g)
  expect(words ?? []).toEqual([])
})

test.each(localizedPages)('%s contains no words that the glossary forbids', (_, render) => {
  const document = render({ nonce: 'n', language: 'en' }, '12', 'https://192.0.2.1/34')
  expect(findForbiddenWords(visibleText(document))).toEqual([])
})

test.each(['en', 'zh', 'ar'] as const)('every page declares its language: %s', (language) => {
  const tag = { en: 'lang="en"', zh: 'lang="zh-Hans"', ar: 'lang="ar" dir="rtl"' }[language]
  for (const [name, render] of localizedPages) {
    const document = render({ nonce: 'n', language }, '12', 'https://192.0.2.1/34')
    expect(document, name).toContain(`<html ${tag}>`)
  }
})

test.each([
  [undefined, 'en'],
  ['', 'en'],
  ['*', 'en'],
  ['xx, tlh;q=0.5', 'en'],
  ['de-AT, en;q=0.5', 'de'],
  ['en;q=0.4, fr;q=0.9', 'fr'],
  ['pt-BR', 'pt'],
  ['zh-Hans-CN', 'zh'],
  ['sv, ar-EG;q=0.1', 'ar'],
  ['de;q=0', 'en'],
])('Accept-Language %j selects the language %s', (header, language) => {
  expect(chooseLanguage(header)).toBe(language)
})
