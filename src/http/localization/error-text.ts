import { AppError, type ErrorCode } from '../../errors.ts'
import { getLanguage } from '../../texts.ts'
import { catalogInGerman } from './catalog-messages.ts'
import { consoleProblems } from './english-problems.ts'
import { importProblemsInGerman } from './import-problem-messages.ts'
import { problemsInGerman } from './problem-messages.ts'
import { resourceProblemsInGerman } from './resource-problem-messages.ts'

/** For each language, a function that translates the English texts of the APIs. */
const translators = {
  en: createTranslator(consoleProblems),
  de: createTranslator({
    ...problemsInGerman,
    ...resourceProblemsInGerman,
    ...importProblemsInGerman,
    ...indexCatalogByText(),
  }),
}

/** Longer than the name of any column with its path. */
const MAX_NAME_LENGTH = 120

/**
 * Returns the message of an error in the language of the request. Omits the name of the field,
 * which its label shows.
 */
export function describeError({ code, problem, message }: AppError): string {
  if (problem) {
    const text = translateProblem(problem)
    const sentence = `${text.charAt(0).toUpperCase()}${text.slice(1)}`
    return sentence.endsWith('.') ? sentence : `${sentence}.`
  }
  if (getLanguage() === 'de' && message === new AppError(code).message) {
    return catalogInGerman[code]
  }
  return translateProblem(message)
}

/** Returns a problem, which follows the name of its field, in the language of the request. */
export function translateProblem(english: string): string {
  return translate(english) ?? english
}

/**
 * Translates a stored problem to the language of the request. It is a sentence, or the name of a
 * field or column followed by its problem, such as `"Long URL" is empty`.
 */
export function translateStoredProblem(english: string): string {
  const whole = translate(english)
  if (whole !== undefined || getLanguage() === 'en') return whole ?? english
  for (const { index } of english.slice(0, MAX_NAME_LENGTH).matchAll(/ /g)) {
    const problem = translate(english.slice(index + 1))
    if (problem === undefined) continue
    const name = english.slice(0, index).replace(/^Column (?=\d)/, 'Spalte ')
    return `${name} ${problem}`
  }
  return english
}

function translate(english: string): string | undefined {
  return translators[getLanguage()](english)
}

function createTranslator(texts: Readonly<Record<string, string>>) {
  const exact = new Map(Object.entries(texts))
  // Longer texts with parameters come first, because they match fewer errors.
  const patterns = [...exact]
    .filter(([english]) => english.includes('{}'))
    .sort(([a], [b]) => b.length - a.length)
    .map(([english, text]) => ({ matcher: createMatcher(english), text }))

  return function translate(english: string): string | undefined {
    const exactText = exact.get(english)
    if (exactText !== undefined) return exactText
    for (const { matcher, text } of patterns) {
      const match = matcher.exec(english)
      if (match) return fillIn(text, match.slice(1))
    }
    return undefined
  }
}

/** Replaces `{}` with the next parameter, and `{1}` with the second one. */
function fillIn(text: string, parameters: readonly string[]): string {
  let next = 0
  return text.replaceAll(/\{(\d?)\}/g, (_, index: string) => {
    const position = index === '' ? next++ : Number(index)
    return parameters[position] ?? ''
  })
}

function createMatcher(english: string): RegExp {
  const parts = english.split('{}').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('(.+?)')}$`, 's')
}

/** Returns the German texts of the catalog by the English ones. */
function indexCatalogByText(): Record<string, string> {
  const entries = Object.entries(catalogInGerman) as [ErrorCode, string][]
  return Object.fromEntries(entries.map(([code, german]) => [new AppError(code).message, german]))
}
