import type { FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import type { IdentityProvider } from '../../../people/oidc/provider.ts'
import { readSessionToken } from '../../html/session-cookie.ts'
import { sendSignedOutPage } from '../shell/send.ts'
import { renderContinuePage } from './continue-page.ts'
import { setPendingSignIn } from './pending-sign-in.ts'
import { hashSessionToken } from './session-hash.ts'

/**
 * Sends the browser of the signed-in user to the provider. The callback connects the identity from
 * there to the user. Throws AppError `provider_unavailable`.
 */
export async function startConnection(
  { config }: Pick<HttpContext, 'config'>,
  provider: IdentityProvider,
  reply: FastifyReply,
): Promise<undefined> {
  const { url, secrets } = await provider.start()
  const sessionHash = hashSessionToken(readSessionToken(config, reply.request) ?? '')
  setPendingSignIn(config, reply, { ...secrets, sessionHash })
  sendSignedOutPage(reply, (nonce) => renderContinuePage({ nonce, name: provider.name, url }))
}
