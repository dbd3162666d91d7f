import type { SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'
import { renderConfirmationField } from '../shell/confirmation-field.ts'
import type { Frame } from '../shell/layout.ts'
import { secondFactorMessages as texts } from './messages.ts'

export const PATH = '/console/account/second-factor'

/** An error and the name of its field, or `form`. */
export type FieldError = { field: string; text: string }

/** Renders a field with its error, if any. */
export function renderField(fieldError: FieldError | undefined, options: Field): SafeHtml {
  const isWrong = fieldError?.field === options.name
  return field({ ...options, ...(isWrong && { error: fieldError.text, autofocus: true }) })
}

/** Renders the password field. */
export function renderPasswordField(
  frame: Frame,
  fieldError: FieldError | undefined,
  name: string,
): SafeHtml {
  return renderConfirmationField(frame, {
    name,
    label: texts.password,
    error: findError(fieldError, name),
  })
}

/** Renders the field for a password or a one-time code. */
export function renderProofField(
  frame: Frame,
  fieldError: FieldError | undefined,
  { name, hint }: { name: string; hint: string },
): SafeHtml {
  return renderConfirmationField(frame, {
    name,
    label: texts.proof,
    hint,
    error: findError(fieldError, name),
  })
}

function findError(fieldError: FieldError | undefined, name: string): string | undefined {
  return fieldError?.field === name ? fieldError.text : undefined
}
