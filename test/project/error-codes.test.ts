import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { IntlMessageFormat } from 'intl-messageformat'
import { expect, test } from 'vitest'
import { OUTBOUND_REASONS } from '../../src/net/outbound-error.ts'
import { isTextKey } from '../../src/texts.ts'
import { namedTextsOf } from '../support/error-texts.ts'

const ROOT = join(import.meta.dirname, '../..')
const ENGLISH: Readonly<Record<string, string>> = JSON.parse(
  readFileSync(join(ROOT, 'locales/en.json'), 'utf8'),
)

const sources = globSync('src/**/*.ts', { cwd: ROOT })
  .filter((file) => !file.endsWith('.test.ts'))
  .map((file) => ({ file, source: readFileSync(join(ROOT, file), 'utf8') }))

test('every error has the arguments of its text', () => {
  const named = sources.flatMap(({ file, source }) =>
    namedTextsOf(source).map((each) => ({ file, ...each })),
  )
  const wrong = named.filter(({ key, args }) => {
    return String(args) !== String(listArguments(ENGLISH[key] ?? ''))
  })
  expect(wrong).toEqual([])
  expect(named.length).toBeGreaterThan(300)
})

test('every code of an error is used', () => {
  const source = sources.map((each) => each.source).join('\n')
  // A code may be composed, such as `outbound_${reason}`.
  const starts = [...source.matchAll(/[`.](\w+_)\$\{/g)].map(([, start = '']) => start)
  const codes = Object.keys(ENGLISH).flatMap((key) => {
    const [, code] =
      /^(?:errors|problems|rejections|rowProblems|sourceErrors)\.(\w+)$/.exec(key) ?? []
    return code ?? []
  })
  const unused = codes.filter((code) => {
    const isNamed = source.includes(`'${code}'`) || source.includes(`.${code}'`)
    return !isNamed && !starts.some((start) => code.startsWith(start))
  })
  expect(unused).toEqual([])
  expect(codes.length).toBeGreaterThan(300)
})

test('every reason of a failed outbound request has a text', () => {
  const keys = OUTBOUND_REASONS.flatMap((reason) => [
    `problems.outbound_${reason}`,
    `sourceErrors.cannot_be_read_${reason}`,
  ])
  expect([keys.filter((key) => !isTextKey(key)), keys.length]).toEqual([[], 12])
})

/** Returns the names of a message's arguments. */
function listArguments(text: string): string[] {
  const names = new IntlMessageFormat(text, 'en').getAst().flatMap((part) => {
    return 'value' in part && part.type !== 0 ? [part.value] : []
  })
  return [...new Set(names)].sort()
}
