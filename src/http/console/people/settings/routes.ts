import type { FastifyInstance, FastifyReply } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import type { AppError } from '../../../../errors.ts'
import { updateUserSettings } from '../../../../people/user.service.ts'
import { toAppError } from '../../../errors.ts'
import { pageRoute } from '../../../html/page-route.ts'
import { faultText, fieldsOf, sendConsole } from '../../send.ts'
import { formatMoment } from '../../shell/format-day.ts'
import { setToast } from '../../shell/toast.ts'
import { settingsPage } from './page.ts'

/** The settings of who is signed in. */
export function settingsRoutes(app: FastifyInstance, { db, clock }: HttpContext): void {
  app.route({
    ...pageRoute,
    url: '/settings',
    handler: async ({ session }, reply) => sendSettings(reply, session.user),
  })

  app.post('/settings', { schema: { hide: true } }, async (request, reply) => {
    const typed = fieldsOf(request.body, ['language', 'timeZone'])
    try {
      await updateUserSettings(db, request.session.user.id, typed)
    } catch (error) {
      const rejection = toAppError(error, request.log)
      if (rejection.status >= 500) throw rejection
      return sendSettings(reply, typed, rejection)
    }
    setToast(reply, 'saved')
    return reply.redirect('/console/settings', 303)
  })

  function sendSettings(
    reply: FastifyReply,
    typed: { language: string; timeZone: string },
    rejection?: AppError,
  ): FastifyReply {
    const now = formatMoment(clock(), reply.request.session.user.timeZone)
    const at = rejection?.field ?? 'form'
    const errors = rejection ? { [at]: faultText(rejection) } : {}
    const status = rejection ? (at === 'form' ? rejection.status : 422) : 200
    return sendConsole(reply, (frame) => settingsPage(frame, { ...typed, now, errors }), { status })
  }
}
