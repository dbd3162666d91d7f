import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { renewRecoveryCodes } from '../../../people/second-factor/change-factor.ts'
import {
  confirmCodes,
  getCodeSetup,
  startCodeSetup,
  turnOffCodes,
} from '../../../people/second-factor/one-time-codes.service.ts'
import { findText, t } from '../../../texts.ts'
import { toAppError } from '../../errors.ts'
import { describeError } from '../../html/describe-error.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { formFor, pageFor } from '../kit/roles.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { confirmProof } from './confirm-proof.ts'
import { PATH } from './fields.ts'
import { registerPasskeyRoutes } from './passkey-routes.ts'
import { attempt, sendSettings } from './settings.ts'
import { renderRecoveryCodesPage, renderSetupPage } from './setup-page.ts'

type PageRequest = FastifyRequest<{ Querystring: { done?: unknown } }>

/** Registers the routes of the signed-in user's second factor, for every role. */
export function registerSecondFactorRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx
  registerPasskeyRoutes(app, ctx)

  app.route({
    ...pageFor('viewer'),
    url: '/account/second-factor',
    handler: async ({ query }: PageRequest, reply) =>
      sendSettings(ctx, reply, {
        done: findText('secondFactor.confirmations', readFields(query, ['done']).done),
      }),
  })

  app.post('/account/second-factor/codes', formFor('viewer'), async (request, reply) => {
    const { codesPassword } = readFields(request.body, ['codesPassword'])
    return attempt(ctx, reply, 'codesPassword', async () => {
      await confirmPassword(ctx, request, codesPassword)
      const setup = await startCodeSetup(ctx, db, request.session)
      return sendConsolePage(reply, (frame) => renderSetupPage(frame, setup))
    })
  })

  app.post('/account/second-factor/codes/confirm', formFor('viewer'), async (request, reply) => {
    const { code } = readFields(request.body, ['code'])
    return attempt(ctx, reply, 'code', async () => {
      const setup = await getCodeSetup(ctx, db, request.session)
      try {
        const codes = await confirmCodes(ctx, db, request.session, code)
        const done = t('secondFactor.confirmations.on')
        if (codes.length === 0) return reply.redirect(`${PATH}?done=on`, 303)
        return sendConsolePage(reply, (frame) => renderRecoveryCodesPage(frame, codes, done))
      } catch (error) {
        const rejection = toAppError(error, request)
        if (rejection.field !== 'code') throw rejection
        const fieldError = { field: 'code', text: describeError(rejection) }
        return sendConsolePage(reply, (frame) => renderSetupPage(frame, setup, fieldError), {
          status: 422,
        })
      }
    })
  })

  app.post('/account/second-factor/codes/remove', formFor('viewer'), async (request, reply) => {
    const { codesProof } = readFields(request.body, ['codesProof'])
    return attempt(ctx, reply, 'codesProof', async () => {
      await confirmProof(ctx, request, codesProof)
      await turnOffCodes(db, request.session)
      return reply.redirect(`${PATH}?done=off`, 303)
    })
  })

  app.post('/account/second-factor/recovery-codes', formFor('viewer'), async (request, reply) => {
    const { recoveryProof } = readFields(request.body, ['recoveryProof'])
    return attempt(ctx, reply, 'recoveryProof', async () => {
      await confirmProof(ctx, request, recoveryProof)
      const codes = await renewRecoveryCodes(db, request.session.user.id)
      return sendConsolePage(reply, (frame) => renderRecoveryCodesPage(frame, codes))
    })
  })
}
