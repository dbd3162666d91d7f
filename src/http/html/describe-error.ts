import { type AppError, formatProblem } from '../../errors.ts'
import { findText } from '../../texts.ts'

/**
 * Returns the message of an error in the language of the request. Omits the name of the field,
 * which its label shows. Problems that mention another field by its name in the APIs have a text of
 * their own for pages.
 */
export function describeError({ problem, text }: AppError): string {
  if (!problem || typeof text === 'string') return formatProblem(text)
  const message = findText('consoleProblems', problem, text.args) ?? formatProblem(text)
  const sentence = `${message.charAt(0).toUpperCase()}${message.slice(1)}`
  return sentence.endsWith('.') ? sentence : `${sentence}.`
}
