import type { FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { hasPasskeys } from '../../../people/second-factor/passkeys.service.ts'
import { issueFormToken } from '../../html/form-token.ts'
import { sendSignedOutPage } from '../shell/send.ts'
import { renderSignInPage, type SignInPage } from './page.ts'

type Settled =
  | 'nonce'
  | 'csrf'
  | 'isRegistrationOpen'
  | 'sendsMail'
  | 'hasPasskeys'
  | 'allowsPasswords'
  | 'provider'

/** The values of the sign-in page that do not come from the settings. */
export type SignInForm = Partial<Omit<SignInPage, Settled>>

/** Sends the sign-in page with the methods that the settings allow. */
export function sendSignIn(
  ctx: HttpContext,
  reply: FastifyReply,
  form: SignInForm,
  more: { status?: number; headers?: Record<string, string> } = {},
): FastifyReply {
  const { config, provider } = ctx
  const csrf = issueFormToken(reply)
  const { registrationOpen: isRegistrationOpen, passwordSignIn: allowsPasswords } = config
  const sendsMail = config.mail !== undefined
  const settled = {
    csrf,
    isRegistrationOpen,
    sendsMail,
    allowsPasswords,
    provider: provider?.name,
    hasPasskeys: allowsPasswords && hasPasskeys(ctx),
  }
  return sendSignedOutPage(reply, (nonce) => renderSignInPage({ ...form, ...settled, nonce }), more)
}
