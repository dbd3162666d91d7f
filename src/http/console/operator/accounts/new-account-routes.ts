import type { FastifyInstance, FastifyReply } from 'fastify'
import { checkPlan } from '../../../../accounts/account.ts'
import type { HttpContext } from '../../../../context.ts'
import { createAccountFor } from '../../../../operator/user-actions.service.ts'
import { toAppError } from '../../../errors.ts'
import { describeFormError } from '../../errors/labeled-error.ts'
import { confirmPassword } from '../../kit/confirmation.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { sendUserLink } from '../users/send-user-link.ts'
import { type NewAccountForm, renderNewAccountPage } from './new-account-page.ts'

const PATH = '/console/operator/accounts'

/** The form field that shows an error, by the error's field. Other errors appear above the form. */
const FORM_FIELDS: ReadonlyMap<string, 'email' | 'username' | 'password'> = new Map([
  ['email', 'email'],
  ['username', 'username'],
  ['currentPassword', 'password'],
])

/** Registers the routes of the form that creates an account. The owner chooses the password. */
export function registerNewAccountRoutes(app: FastifyInstance, ctx: HttpContext): void {
  app.route({
    ...pageFor('viewer'),
    url: '/accounts/new',
    handler: async (_request, reply) => sendForm(reply, {}),
  })

  app.post('/accounts', formFor('viewer'), async (request, reply) => {
    const { body, session } = request
    const { ownPassword, ...values } = readFields(body, [
      'email',
      'username',
      'plan',
      'ownPassword',
    ])
    try {
      await confirmPassword(ctx, request, ownPassword)
      const input = { ...values, plan: checkPlan(values.plan || 'free') }
      const created = await createAccountFor(ctx, ctx.db, session.user.email, input)
      return sendUserLink(ctx, reply, created, {
        section: PATH,
        next: `${PATH}/${created.account.id}`,
        done: { mailed: 'mailed', known: 'created' },
      })
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.status >= 500) throw rejection
      const field = rejection.code === 'username_taken' ? 'username' : rejection.field
      const errorField = FORM_FIELDS.get(field ?? '') ?? 'form'
      const errors = { [errorField]: describeFormError(errorField, rejection) }
      return sendForm(reply, { values, errors }, errorField === 'form' ? rejection.status : 422)
    }
  })
}

function sendForm(reply: FastifyReply, form: NewAccountForm, status = 200): FastifyReply {
  return sendConsolePage(reply, (frame) => renderNewAccountPage(frame, form), { status })
}
