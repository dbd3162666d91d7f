import type { FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { hasPasskeys } from '../../../people/second-factor/passkeys.service.ts'
import { getSecondFactor } from '../../../people/second-factor/second-factor.service.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import type { FieldError } from '../shell/field-error.ts'
import { formatMoment } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import { renderSecondFactorPage } from './page.ts'

/** The confirmation of the last action, or the error and a value of a rejected form. */
type Form = {
  done?: string | undefined
  fieldError?: FieldError
  submittedName?: string | undefined
}
type Status = { status?: number; headers?: Record<string, string> }

/** Sends the settings of the signed-in user's second factor. */
export async function sendSettings(
  ctx: HttpContext,
  reply: FastifyReply,
  form: Form,
  status: Status = {},
): Promise<FastifyReply> {
  const { user } = reply.request.session
  const { codesSince, recoveryCodes, passkeys } = await getSecondFactor(ctx.db, user.id)
  const format = (date: Date | null) => date && formatMoment(date, user.timeZone)
  const page = {
    ...form,
    codesSince: format(codesSince),
    recoveryCodes,
    hasPasskeys: hasPasskeys(ctx),
    passkeys: passkeys.map(({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name,
      created: formatMoment(createdAt, user.timeZone),
      lastUsed: format(lastUsedAt),
    })),
  }
  return sendConsolePage(reply, (frame) => renderSecondFactorPage(frame, page), status)
}

/**
 * Runs a form's action and returns its reply, or shows the settings again with the error. `names` maps
 * the fields of errors to form fields. Errors of other fields are shown at `proofField`, and errors
 * without a field at the top. Throws `not_found` and failures.
 */
export async function attempt(
  ctx: HttpContext,
  reply: FastifyReply,
  proofField: string,
  action: () => Promise<FastifyReply>,
  { names = {}, submittedName }: { names?: Record<string, string>; submittedName?: string } = {},
): Promise<FastifyReply> {
  try {
    return await action()
  } catch (error) {
    const rejection = toAppError(error, reply.request)
    if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
    const { field } = rejection
    const fieldName = field === undefined ? 'form' : (names[field] ?? proofField)
    const fieldError = { field: fieldName, text: describeFormError(fieldName, rejection) }
    const status = field === undefined ? rejection.status : 422
    const headers = createErrorHeaders(rejection)
    return sendSettings(ctx, reply, { fieldError, submittedName }, { status, headers })
  }
}
