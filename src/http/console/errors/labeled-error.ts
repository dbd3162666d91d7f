import type { AppError } from '../../../errors.ts'
import { fill } from '../../../pages/fill.ts'
import { describeError } from '../../localization/error-text.ts'
import { type FieldText, fieldMessages } from '../link-editor/field-messages.ts'
import { editorMessages } from '../link-editor/messages.ts'
import { ruleMessages } from '../link-editor/rules/messages.ts'
import { errorFieldMessages } from './messages.ts'

/** The index of a row of a list in a form. */
const ROW = /^(?:links|parameters|rules|split)\[(\d+)\]/

/** Returns the text of an error that is shown away from its field, after the label of the field. */
export function describeLabeledError(error: AppError, labelOf = findFieldLabel): string {
  const { field, problem } = error
  const text = describeError(error)
  const label = field === undefined || problem === undefined ? undefined : labelOf(field)
  // Some problems are instructions, such as "Select a campaign.".
  return label === undefined || isSentence(problem) ? text : `${label}: ${text}`
}

/** Returns the text of an error at a field of a form, or for the form as a whole. */
export function describeFormError(at: string, error: AppError): string {
  return at === 'form' ? describeLabeledError(error) : describeError(error)
}

/** Returns the label of the field at a path, such as `rules[0].when.country`. */
export function findFieldLabel(path: string): string | undefined {
  const [head = '', part = '', name = ''] = path.replaceAll(/\[\d*\]/g, '').split('.')
  const label = head === 'rules' && part !== '' ? describeRule(part, name) : findLabel(head)
  const index = ROW.exec(path)?.[1]
  if (label === undefined || index === undefined) return label
  return fill(editorMessages.row, { label, row: Number(index) + 1 })
}

function findLabel(name: string): string | undefined {
  const linkFields: Readonly<Record<string, FieldText>> = fieldMessages
  const others: Readonly<Record<string, string>> = errorFieldMessages
  return linkFields[name]?.label ?? others[name]
}

function describeRule(part: string, name: string): string {
  const { conditions, to, rule } = ruleMessages
  if (part === 'to') return to
  const labels: Readonly<Record<string, { label: string }>> = conditions
  return labels[name]?.label ?? rule
}

function isSentence(problem = ''): boolean {
  return /^\p{Lu}/u.test(problem)
}
