import type { AppError } from '../../../errors.ts'
import { findText, t } from '../../../texts.ts'
import { describeError } from '../../html/describe-error.ts'

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
  return label === undefined ? text : `${label}: ${text}`
}

/**
 * Returns the texts of an error and of its others by the names of their fields. The text of `form` is
 * for a place above all fields. A field has the text of its first error.
 */
export function describeFormErrors(
  error: AppError,
  findName: (error: AppError) => string,
): Record<string, string> {
  const texts: Record<string, string> = {}
  for (const each of [error, ...error.others]) {
    const name = findName(each)
    texts[name] ??= name === 'form' ? describeLabeledError(each) : describeError(each)
  }
  return texts
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
  return t('linkForm.row', { label, row: Number(index) + 1 })
}

function findLabel(name: string): string | undefined {
  return findText('linkFields', `${name}.label`) ?? findText('fieldLabels', name)
}

/** Returns the label of a part of a targeting rule: its destination, a condition, or all of it. */
function getRuleLabel(part: string, condition: string): string {
  if (part === 'to') return t('rules.to')
  return findText('rules.conditions', `${condition}.label`) ?? t('rules.rule')
}
