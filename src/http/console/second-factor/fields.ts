import type { SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'
import { secondFactorMessages as texts } from './messages.ts'

export const PATH = '/console/account/second-factor'

/** An error and the name of its field, or `form` for the whole page. */
export type Fault = { field: string; text: string }

/** A field with its error, if any. */
export function fieldOf(fault: Fault | undefined, options: Field): SafeHtml {
  const isWrong = fault?.field === options.name
  return field({ ...options, ...(isWrong && { error: fault.text, autofocus: true }) })
}

/** The field for a password or a one-time code. */
export function proofField(fault: Fault | undefined, name: string, hint: string): SafeHtml {
  const autocomplete = 'current-password'
  return fieldOf(fault, { name, label: texts.proof, type: 'password', autocomplete, hint })
}
