import type { SafeHtml } from '@remix-run/html-template'
import { type Field, field } from '../../../pages/field.ts'

/** An error and the name of its field, or `form`. */
export type FieldError = { field: string; text: string }

/** Returns the error of a field, if any. */
export function findError(fieldError: FieldError | undefined, name: string): string | undefined {
  return fieldError?.field === name ? fieldError.text : undefined
}

/** Renders a field with its error, if any. */
export function renderField(fieldError: FieldError | undefined, options: Field): SafeHtml {
  const error = findError(fieldError, options.name)
  return field({ ...options, ...(error !== undefined && { error, autofocus: true }) })
}
