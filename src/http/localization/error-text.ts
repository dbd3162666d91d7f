import { AppError } from '../../errors.ts'
import { catalogInGerman } from './catalog-messages.ts'
import { currentLanguage } from './language.ts'
import { problemsInGerman } from './problem-messages.ts'
import { resourceProblemsInGerman } from './resource-problem-messages.ts'

const translations = { ...problemsInGerman, ...resourceProblemsInGerman }

/** Texts with parameters, those with the most text of their own first. */
const patterns = Object.entries(translations)
  .filter(([english]) => english.includes('{}'))
  .sort(([one], [other]) => other.length - one.length)
  .map(([english, german]) => ({ matcher: matcherOf(english), german }))

/** Returns the message of an error in the language of the request. */
export function errorText({ code, field, problem, message }: AppError): string {
  if (currentLanguage() !== 'de') return message
  if (field !== undefined && problem !== undefined) return `${field} ${problemText(problem)}`
  if (message === new AppError(code).message) return catalogInGerman[code]
  return inGerman(message) ?? message
}

/** Returns the text of an error below its field, whose label has named it. */
export function faultText(error: AppError): string {
  if (!error.problem) return errorText(error)
  const problem = problemText(error.problem)
  const text = `${problem.charAt(0).toUpperCase()}${problem.slice(1)}`
  return text.endsWith('.') ? text : `${text}.`
}

/** Returns a problem, which follows the name of its field, in the language of the request. */
export function problemText(english: string): string {
  return currentLanguage() !== 'de' ? english : (inGerman(english) ?? english)
}

/**
 * Returns a stored text about an entry, such as `alias is a reserved word`, in the language of the
 * request.
 */
export function entryProblemText(english: string): string {
  if (currentLanguage() !== 'de') return english
  const [, field, problem] = /^(\S+) (.+)$/s.exec(english) ?? []
  const german = problem === undefined ? undefined : inGerman(problem)
  return inGerman(english) ?? (german === undefined ? english : `${field} ${german}`)
}

function inGerman(english: string): string | undefined {
  const exact = Object.hasOwn(translations, english) ? translations[english] : undefined
  if (exact !== undefined) return exact
  for (const { matcher, german } of patterns) {
    const found = matcher.exec(english)
    if (found) return fillIn(german, found.slice(1))
  }
  return undefined
}

/** Fills `{}` with the next parameter, and `{1}` with the second one. */
function fillIn(text: string, parameters: readonly string[]): string {
  let next = 0
  return text.replaceAll(/\{(\d?)\}/g, (_, index: string) => {
    const at = index === '' ? next++ : Number(index)
    return parameters[at] ?? ''
  })
}

function matcherOf(english: string): RegExp {
  const parts = english.split('{}').map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('(.+?)')}$`, 's')
}
