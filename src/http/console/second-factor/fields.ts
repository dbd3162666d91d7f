import type { SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { renderConfirmationField } from '../kit/confirmation.ts'
import { type FieldError, findError } from '../shell/field-error.ts'
import type { Frame } from '../shell/layout.ts'

export const PATH = '/console/account/second-factor'

/** Renders the password field. */
export function renderPasswordField(
  frame: Frame,
  fieldError: FieldError | undefined,
  name: string,
): SafeHtml {
  return renderConfirmationField(frame, {
    name,
    label: t('secondFactor.password'),
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
    label: t('secondFactor.proof'),
    hint,
    error: findError(fieldError, name),
  })
}
