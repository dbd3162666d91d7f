import type { AppError } from '../../../errors.ts'
import { fill } from '../../../pages/fill.ts'
import { describeError } from '../../localization/error-text.ts'
import { type FieldText, fieldMessages } from '../link-editor/field-messages.ts'
import { editorMessages } from '../link-editor/messages.ts'
import { ruleMessages } from '../link-editor/rules/messages.ts'
import { errorFieldMessages } from './messages.ts'

/** Matches an element of a list whose rows are numbered in the form, and captures its index. */
const ROW = /^(?:links|parameters|rules|split)\[(\d+)\]/

/**
 * Returns the text of an error for a place other than its field, such as the top of a form. The text
 * starts with the label of the field, unless the field is unknown or the text is a sentence of its
 * own, such as "Select a campaign."
 */
export function describeLabeledError(error: AppError, findLabel = findFieldLabel): string {
  const { field, problem } = error
  const text = describeError(error)
  const label = field === undefined || problem === undefined ? undefined : findLabel(field)
  return label === undefined || isSentence(problem) ? text : `${label}: ${text}`
}

/** Returns the text of an error next to the field with this name, or, for `form`, above all fields. */
export function describeFormError(fieldName: string, error: AppError): string {
  return fieldName === 'form' ? describeLabeledError(error) : describeError(error)
}

/**
 * Returns the label of the field at a path, such as `rules[0].when.country`, with the number of its
 * row in a list. Returns undefined if the field is unknown.
 */
export function findFieldLabel(path: string): string | undefined {
  const [field = '', part = '', condition = ''] = path.replaceAll(/\[\d*\]/g, '').split('.')
  const label = field === 'rules' && part !== '' ? getRuleLabel(part, condition) : findLabel(field)
  const index = ROW.exec(path)?.[1]
  if (label === undefined || index === undefined) return label
  return fill(editorMessages.row, { label, row: Number(index) + 1 })
}

function findLabel(name: string): string | undefined {
  const linkFields: Readonly<Record<string, FieldText>> = fieldMessages
  const otherLabels: Readonly<Record<string, string>> = errorFieldMessages
  return linkFields[name]?.label ?? otherLabels[name]
}

/** Returns the label of a part of a targeting rule: its destination, a condition, or all of it. */
function getRuleLabel(part: string, condition: string): string {
  const { conditions, to, rule } = ruleMessages
  if (part === 'to') return to
  const labels: Readonly<Record<string, { label: string }>> = conditions
  return labels[condition]?.label ?? rule
}

function isSentence(problem = ''): boolean {
  return /^\p{Lu}/u.test(problem)
}
