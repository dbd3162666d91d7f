import { type AppError, formatProblem } from '../../errors.ts'
import { findText } from '../../texts.ts'

/**
 * Returns the message of an error in the language of the request. Omits the name of the field,
 * which its label shows. Some errors have a text of their own for pages, such as those that mention
 * another field by its name in the APIs, since clients of the APIs may compare the other text.
 */
export function describeError({ code, problem, text }: AppError): string {
  if (typeof text === 'string') return text
  const name = problem ?? (text.key === `errors.${code}` ? code : '')
  const ownMessage = findText('consoleProblems', name, text.args)
  const message = ownMessage ?? formatProblem(text)
  if (!problem && ownMessage === undefined) return message
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}
