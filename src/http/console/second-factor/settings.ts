import type { FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { hasPasskeys } from '../../../people/second-factor/passkeys.service.ts'
import { getSecondFactor } from '../../../people/second-factor/second-factor.service.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { describeFormError } from '../errors/labeled-error.ts'
import { formatMoment } from '../shell/format-day.ts'
import { sendConsolePage } from '../shell/send.ts'
import type { FieldError } from './fields.ts'
import { renderSecondFactorPage } from './page.ts'

type Form = { done?: string | undefined; fieldError?: FieldError; typedName?: string | undefined }
type Status = { status?: number; headers?: Record<string, string> }

/** Sends the settings of the signed-in user's second factor. */
export async function sendSettings(
  ctx: HttpContext,
  reply: FastifyReply,
  form: Form,
  more: Status = {},
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
  return sendConsolePage(reply, (frame) => renderSecondFactorPage(frame, page), more)
}

/**
 * Runs a form's action, or shows the settings again with the error at its field. `names` maps error
 * fields to form fields. Other errors are shown at `proof`.
 */
export async function attempt(
  ctx: HttpContext,
  reply: FastifyReply,
  proof: string,
  work: () => Promise<FastifyReply>,
  { names = {}, typedName }: { names?: Record<string, string>; typedName?: string } = {},
): Promise<FastifyReply> {
  try {
    return await work()
  } catch (error) {
    const rejection = toAppError(error, reply.request.log)
    if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
    const { field } = rejection
    const at = field === undefined ? 'form' : (names[field] ?? proof)
    const fieldError = { field: at, text: describeFormError(at, rejection) }
    const status = field === undefined ? rejection.status : 422
    const headers = createErrorHeaders(rejection)
    return sendSettings(ctx, reply, { fieldError, typedName }, { status, headers })
  }
}
