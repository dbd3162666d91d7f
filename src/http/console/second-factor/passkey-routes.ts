import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import {
  addPasskey,
  removePasskey,
  requirePasskey,
  startPasskeySetup,
} from '../../../people/second-factor/passkeys.service.ts'
import { t } from '../../../texts.ts'
import { parsePathId } from '../../request/path-id.ts'
import { confirmPassword } from '../kit/confirmation.ts'
import { formFor } from '../kit/roles.ts'
import { readFields, sendConsolePage } from '../shell/send.ts'
import { confirmProof } from './confirm-proof.ts'
import { PATH } from './fields.ts'
import { getProofName, renderCreatePasskeyPage } from './passkeys-panel.ts'
import { attempt } from './settings.ts'
import { renderRecoveryCodesPage } from './setup-page.ts'

type PasskeyRequest = FastifyRequest<{ Params: { id: string } }>

/** Registers the routes of the signed-in user's passkeys. */
export function registerPasskeyRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { db } = ctx

  app.post('/account/second-factor/passkeys', formFor('viewer'), async (request, reply) => {
    const { passkeyName, passkeyPassword } = readFields(request.body, [
      'passkeyName',
      'passkeyPassword',
    ])
    const createPasskey = async () => {
      await confirmPassword(ctx, request, passkeyPassword)
      const options = await startPasskeySetup(ctx, db, request.session, passkeyName)
      return sendConsolePage(reply, (frame) => renderCreatePasskeyPage(frame, options))
    }
    return attempt(ctx, reply, 'passkeyPassword', createPasskey, {
      names: { name: 'passkeyName' },
      submittedName: passkeyName,
    })
  })

  app.post('/account/second-factor/passkeys/add', formFor('viewer'), async (request, reply) => {
    const { credential } = readFields(request.body, ['credential'])
    return attempt(ctx, reply, 'form', async () => {
      const codes = await addPasskey(ctx, db, request.session, credential)
      if (codes.length === 0) return reply.redirect(`${PATH}?done=passkey`, 303)
      const done = t('secondFactor.confirmations.passkey')
      return sendConsolePage(reply, (frame) => renderRecoveryCodesPage(frame, codes, done))
    })
  })

  app.post(
    '/account/second-factor/passkeys/:id/remove',
    formFor('viewer'),
    async (request: PasskeyRequest, reply) => {
      const id = parsePathId(request.params.id)
      const name = getProofName(id)
      return attempt(ctx, reply, name, async () => {
        await requirePasskey(db, request.session, id)
        await confirmProof(ctx, request, readFields(request.body, [name])[name] ?? '')
        await removePasskey(db, request.session, id)
        return reply.redirect(`${PATH}?done=removed`, 303)
      })
    },
  )
}
