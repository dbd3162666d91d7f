import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseAst } from 'vitest/node'
import { AppError, invalid } from '../../src/errors.ts'
import { entryProblemText, errorText, problemText } from '../../src/http/localization/error-text.ts'
import { runIn } from '../../src/http/localization/language.ts'

const SOURCE = join(import.meta.dirname, '../../src')

/** Their errors appear only in programs and terminals, in English. */
const NOT_IN_CONSOLE =
  /^(?:cli|backup|edge|process|embedded-postgres|http\/(?:[a-z]+-)?api|link-check)\//

/** Texts with translatable parameters, and texts only for callers of the API and the CLI. */
const IGNORED = [
  '{} {}',
  'must be {}',
  'must be {} than {}',
  'must be a username, since {} owns several accounts',
  'This API key is bound to {}; {}.',
]

const files = globSync('**/*.ts', { cwd: SOURCE }).filter(
  (file) => !/\.(?:test|fixture)\.ts$/.test(file) && !NOT_IN_CONSOLE.test(file),
)

const german = <T>(render: () => T) => runIn({ language: 'de' }, render)

test('every error that the console may show has a German text', () => {
  const missing: string[] = []
  let count = 0
  for (const file of files) {
    for (const text of errorTextsOf(readFileSync(join(SOURCE, file), 'utf8'))) {
      if (IGNORED.includes(text)) continue
      count += 1
      const english = text.replaceAll('{}', '7')
      if (german(() => problemText(english)) === english) missing.push(`${file}: ${text}`)
    }
  }
  expect(missing).toEqual([])
  expect(count).toBeGreaterThan(150)
})

test('errors are translated with their parameters in the console and stay English elsewhere', () => {
  const tooLong = invalid('title', 'must be at most 255 characters long')
  const known = invalid('rules[0].when.country', 'is not a known location: Atlantis')
  const own = new AppError('not_found', 'There is no link at brev.example/a.')
  const texts = () => [tooLong, known, own, new AppError('alias_taken')].map(errorText)
  expect(german(texts)).toEqual([
    'title darf höchstens 255 Zeichen lang sein',
    'rules[0].when.country ist unbekannt: Atlantis',
    'Unter brev.example/a gibt es keinen Link.',
    'Dieser Alias ist vergeben. Wählen Sie einen anderen.',
  ])
  expect(texts()).toEqual([
    tooLong.message,
    known.message,
    own.message,
    'That alias is taken. Please choose another one.',
  ])
})

test('problems of stored entries are translated after the field name', () => {
  const problem = 'alias is a reserved word'
  expect(german(() => entryProblemText(problem))).toBe('alias ist ein reserviertes Wort')
  expect(german(() => entryProblemText('something else'))).toBe('something else')
  expect(entryProblemText(problem)).toBe(problem)
})

type Node = { type: string } & Record<string, unknown>

/**
 * Returns the texts of the errors that a module throws: the problems of `invalid`, and the own
 * messages of an `AppError`. `{}` stands for an expression.
 */
function errorTextsOf(source: string): string[] {
  const found: string[] = []
  visit(parseAst(source, { lang: 'ts' }) as unknown as Node)
  return found

  function visit(node: Node): void {
    const { name } = (node.callee ?? {}) as { name?: string }
    const text = (node.arguments as Node[] | undefined)?.[1]
    if (text && (name === 'invalid' || name === 'AppError')) found.push(...textsOf(text))
    for (const child of Object.values(node).flat()) {
      if (typeof child === 'object' && child !== null && 'type' in child) visit(child as Node)
    }
  }
}

function textsOf(node: Node): string[] {
  if (node.type === 'Literal') return [String(node.value)]
  if (node.type === 'ConditionalExpression') {
    return [node.consequent, node.alternate].flatMap((each) => textsOf(each as Node))
  }
  if (node.type !== 'TemplateLiteral') return []
  const parts = node.quasis as { value: { cooked: string } }[]
  return [parts.map(({ value }) => value.cooked).join('{}')]
}
