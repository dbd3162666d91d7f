import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../../context.ts'
import {
  getReportSetting,
  setReportSetting,
} from '../../../../email-reports/subscription.service.ts'
import { AppError } from '../../../../errors.ts'
import { isConnected } from '../../../../people/oidc/sign-in.service.ts'
import { updateUserSettings } from '../../../../people/user.service.ts'
import { toAppError } from '../../../errors.ts'
import { describeFormError } from '../../errors/labeled-error.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { startConnection } from '../../oidc/connect.ts'
import { formatMoment } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { setToast } from '../../shell/toast.ts'
import { renderSettingsPage } from './page.ts'

type SettingsInput = { language: string; timeZone: string }

/** Registers the routes of the signed-in user's settings. */
export function registerSettingsRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock, config, db } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/settings',
    handler: async ({ session }, reply) => sendSettings(reply, session.user),
  })

  app.post('/settings', formFor('viewer'), async (request, reply) => {
    const input = readFields(request.body, ['language', 'timeZone'])
    return save(request, reply, input, () => updateUserSettings(db, request.session.user.id, input))
  })

  app.post('/settings/reports', formFor('viewer'), async (request, reply) => {
    if (!config.mail) throw new AppError('not_found')
    const { user } = request.session
    const { frequency: setting } = readFields(request.body, ['frequency'])
    return save(request, reply, user, () =>
      setReportSetting(ctx, db, toSubscription(request), { setting, timeZone: user.timeZone }),
    )
  })

  /** Runs a change and redirects, or shows the settings again with the error at its field. */
  async function save(
    request: FastifyRequest,
    reply: FastifyReply,
    input: SettingsInput,
    change: () => Promise<void>,
  ): Promise<FastifyReply> {
    try {
      await change()
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500) throw rejection
      return sendSettings(reply, input, rejection)
    }
    setToast(reply, 'saved')
    return reply.redirect('/console/settings', 303)
  }

  app.post('/settings/connect', formFor('viewer'), async (request, reply) => {
    try {
      return await startConnection(ctx, request, reply)
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status === 404 || rejection.code === 'internal') throw rejection
      return sendSettings(reply, request.session.user, rejection)
    }
  })

  async function sendSettings(
    reply: FastifyReply,
    { language, timeZone }: SettingsInput,
    rejection?: AppError,
  ): Promise<FastifyReply> {
    const { request } = reply
    const { user } = request.session
    const currentTime = formatMoment(clock(), user.timeZone)
    const reportSetting = config.mail
      ? await getReportSetting(db, toSubscription(request))
      : undefined
    const errorField = rejection?.field ?? 'form'
    const errors = rejection ? { [errorField]: describeFormError(errorField, rejection) } : {}
    const errorStatus = errorField === 'form' ? rejection?.status : 422
    const status = rejection ? errorStatus : 200
    const provider = config.oidc && {
      name: config.oidc.name,
      isConnected: await isConnected(db, user.id),
      error: errors.currentPassword,
    }
    const page = { language, timeZone, currentTime, provider, reportSetting, errors }
    return sendConsolePage(reply, (frame) => renderSettingsPage(frame, page), { status })
  }
}

function toSubscription({ session }: FastifyRequest) {
  return { accountId: session.account.id, userId: session.user.id }
}
