import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { expect, test } from 'vitest'
import {
  formatCount,
  formatDate,
  formatMoment,
  formatPercent,
  formatShort,
} from './http/console/shell/format.ts'
import { languages } from './pages/texts.ts'
import { findText, LANGUAGES, type Locale, runWithLocale, t, tAll, tHtml } from './texts.ts'

const ROOT = join(import.meta.dirname, '..')

test('texts are in the language of the request', () => {
  const texts = () => [
    t('links.title'),
    t('links.count', { n: 1 }),
    t('links.count', { n: 1234 }),
    t('resource.editNamed', { name: 'a{b}' }),
  ]
  expect(texts()).toEqual(['Links', '1 link', '1,234 links', 'Edit a{b}'])
  expect(runWithLocale({ language: 'de' }, texts)).toEqual([
    'Links',
    '1 Link',
    '1.234 Links',
    'a{b} bearbeiten',
  ])
})

test('texts follow a language that is set later in the request', () => {
  const locale: Locale = { language: 'en' }
  runWithLocale(locale, () => {
    expect(t('roles.owner')).toBe('Owner')
    locale.language = 'de'
    expect(t('roles.owner')).toBe('Inhaber')
  })
})

test('markup is inserted and everything else is escaped', () => {
  expect(String(tHtml('resource.askToDelete', { name: '<i>' }))).toBe('Delete &lt;i&gt;?')
  expect(String(tHtml('recipes.useCreate'))).toBe('Use a key with the scope <b>Create</b>.')
})

test('a group has the texts below its name, and a name from outside is looked up safely', () => {
  expect(tAll('roles')).toEqual({ owner: 'Owner', editor: 'Editor', viewer: 'Viewer' })
  expect(findText('roles', 'owner')).toBe('Owner')
  expect(findText('roles', 'constructor')).toBeUndefined()
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

test.for([
  ...Object.keys(LANGUAGES).map((language) => ['.', language] as const),
  ...languages.map((language) => ['visitors', language] as const),
])('%s/%s has every text, with the same arguments', ([folder, language]) => {
  const english = readCatalog(folder, 'en')
  const texts = readCatalog(folder, language)
  expect(Object.keys(texts)).toEqual(Object.keys(english))
  for (const [key, text] of Object.entries(texts)) {
    expect([key, text === '']).toEqual([key, english[key] === ''])
    expect([key, listArguments(text)]).toEqual([key, listArguments(english[key] ?? '')])
  }
})

test('every text is used', () => {
  const sources = globSync('{src,test}/**/*.ts', { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  )
  const source = sources.join('\n')
  // A name may be composed, such as `links.outcomes.${done}`: then its group is in the source.
  const [names, groups] = [/'([\w.-]+)'/g, /([\w.-]+)\.\$\{/g].map(
    (pattern) => new Set([...source.matchAll(pattern)].map(([, name = '']) => name)),
  )
  const isUsed = (key: string) =>
    names?.has(key) ||
    key.split('.').some((_, index, parts) => {
      const group = parts.slice(0, index).join('.')
      return names?.has(group) || groups?.has(group)
    })
  const keys = [
    ...Object.keys(readCatalog('.', 'en')),
    ...Object.keys(readCatalog('visitors', 'en')),
  ]
  expect(keys.filter((key) => !isUsed(key))).toEqual([])
})

function readCatalog(folder: string, language: string): Record<string, string> {
  return JSON.parse(readFileSync(join(ROOT, 'locales', folder, `${language}.json`), 'utf8'))
}

/** Returns the names of a message's arguments, including those within plural forms. */
function listArguments(text: string): string[] {
  const names = new Set<string>()
  JSON.stringify(new IntlMessageFormat(text, 'en').getAst(), (_, node) => {
    // An argument of any type: 1 to 6. Tags have type 8.
    if (node?.type >= 1 && node?.type <= 6) names.add(node.value)
    return node
  })
  return [...names].sort()
}
