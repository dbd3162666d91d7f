import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { renewRecoveryCodes } from '../../../people/second-factor/change-factor.ts'
import {
  beginCodeSetup,
  confirmCodes,
  getCodeSetup,
  turnOffCodes,
} from '../../../people/second-factor/one-time-codes.service.ts'
import { getSecondFactor } from '../../../people/second-factor/second-factor.service.ts'
import { errorHeaders, toAppError } from '../../errors.ts'
import { pageRoute } from '../../html/page-route.ts'
import { confirmPassword } from '../confirm-password.ts'
import { faultText, fieldsOf, sendConsole } from '../send.ts'
import { formatMoment } from '../shell/format-day.ts'
import { confirmProof } from './confirm-proof.ts'
import { secondFactorMessages as texts } from './messages.ts'
import { type Fault, PATH, secondFactorPage } from './page.ts'
import { recoveryCodesPage, setupPage } from './setup-page.ts'

type PageRequest = FastifyRequest<{ Querystring: { done?: unknown } }>

const hidden = { schema: { hide: true } }

/** What was done, by the word in the address that a form leads back to. */
const confirmations: ReadonlyMap<string, string> = new Map([
  ['on', texts.confirmations.codesOn],
  ['off', texts.confirmations.codesOff],
])

/** The second factor of the signed-in user, whatever their role. */
export function secondFactorRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx

  app.route({
    ...pageRoute,
    url: '/account/second-factor',
    handler: async ({ query }: PageRequest, reply) =>
      sendSettings(reply, { done: confirmations.get(fieldsOf(query, ['done']).done) }),
  })

  app.post('/account/second-factor/codes', hidden, async (request, reply) => {
    const { codesPassword } = fieldsOf(request.body, ['codesPassword'])
    return attempt(reply, 'codesPassword', async () => {
      await confirmPassword(ctx, request, codesPassword)
      const setup = await beginCodeSetup(ctx, db, request.session)
      return sendConsole(reply, (frame) => setupPage(frame, setup))
    })
  })

  app.post('/account/second-factor/codes/confirm', hidden, async (request, reply) => {
    const { code } = fieldsOf(request.body, ['code'])
    return attempt(reply, 'code', async () => {
      const setup = await getCodeSetup(ctx, db, request.session)
      try {
        const codes = await confirmCodes(ctx, db, request.session, code)
        const done = texts.confirmations.codesOn
        if (codes.length === 0) return reply.redirect(`${PATH}?done=on`, 303)
        return sendConsole(reply, (frame) => recoveryCodesPage(frame, codes, done))
      } catch (error) {
        const rejection = toAppError(error, request.log)
        if (rejection.field !== 'code') throw rejection
        const fault = { field: 'code', text: faultText(rejection) }
        return sendConsole(reply, (frame) => setupPage(frame, setup, fault), { status: 422 })
      }
    })
  })

  app.post('/account/second-factor/codes/remove', hidden, async (request, reply) => {
    const { codesProof } = fieldsOf(request.body, ['codesProof'])
    return attempt(reply, 'codesProof', async () => {
      await confirmProof(ctx, request, codesProof)
      await turnOffCodes(db, request.session)
      return reply.redirect(`${PATH}?done=off`, 303)
    })
  })

  app.post('/account/second-factor/recovery-codes', hidden, async (request, reply) => {
    const { recoveryProof } = fieldsOf(request.body, ['recoveryProof'])
    return attempt(reply, 'recoveryProof', async () => {
      await confirmProof(ctx, request, recoveryProof)
      const codes = await renewRecoveryCodes(db, request.session.user.id)
      return sendConsole(reply, (frame) => recoveryCodesPage(frame, codes))
    })
  })

  /** Does what a form asks, or shows the settings again with what is wrong at its field. */
  async function attempt(
    reply: FastifyReply,
    name: string,
    work: () => Promise<FastifyReply>,
  ): Promise<FastifyReply> {
    try {
      return await work()
    } catch (error) {
      const rejection = toAppError(error, reply.request.log)
      if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
      const isField = rejection.field !== undefined
      const fault = { field: isField ? name : 'form', text: faultText(rejection) }
      const status = isField ? 422 : rejection.status
      return sendSettings(reply, { fault }, { status, headers: errorHeaders(rejection) })
    }
  }

  async function sendSettings(
    reply: FastifyReply,
    form: { done?: string | undefined; fault?: Fault },
    more: { status?: number; headers?: Record<string, string> } = {},
  ): Promise<FastifyReply> {
    const { codesSince, recoveryCodes } = await getSecondFactor(db, reply.request.session.user.id)
    const since = codesSince && formatMoment(codesSince, reply.request.session.user.timeZone)
    const page = { ...form, codesSince: since, recoveryCodes }
    return sendConsole(reply, (frame) => secondFactorPage(frame, page), more)
  }
}
