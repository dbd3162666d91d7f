import { AppError, type ErrorCode } from '../../errors.ts'
import { catalogInGerman } from './catalog-messages.ts'
import { consoleProblems } from './english-problems.ts'
import { importProblemsInGerman } from './import-problem-messages.ts'
import { getLanguage } from './language.ts'
import { problemsInGerman } from './problem-messages.ts'
import { resourceProblemsInGerman } from './resource-problem-messages.ts'

/** The texts of each language by those of the APIs. */
const translators = {
  en: createTranslator(consoleProblems),
  de: createTranslator({
    ...problemsInGerman,
    ...resourceProblemsInGerman,
    ...importProblemsInGerman,
    ...indexCatalogByText(),
  }),
}

/** A name of a column with its path is shorter. */
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
 * Returns a stored problem in the language of the request: a sentence, or the name of a field or
 * column of a file and its problem, such as `"Long URL" is empty`.
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
  // Texts with parameters, those with the most text of their own first.
  const patterns = [...exact]
    .filter(([english]) => english.includes('{}'))
    .sort(([one], [other]) => other.length - one.length)
    .map(([english, text]) => ({ matcher: createMatcher(english), text }))

  return function translate(english: string): string | undefined {
    const known = exact.get(english)
    if (known !== undefined) return known
    for (const { matcher, text } of patterns) {
      const found = matcher.exec(english)
      if (found) return fillIn(text, found.slice(1))
    }
    return undefined
  }
}

/** Fills `{}` with the next parameter, and `{1}` with the second one. */
function fillIn(text: string, parameters: readonly string[]): string {
  let next = 0
  return text.replaceAll(/\{(\d?)\}/g, (_, index: string) => {
    const at = index === '' ? next++ : Number(index)
    return parameters[at] ?? ''
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
