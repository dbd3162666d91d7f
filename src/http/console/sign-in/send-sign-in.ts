import type { FastifyReply } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { hasPasskeys } from '../../../people/second-factor/passkeys.service.ts'
import { issueFormToken } from '../../html/form-token.ts'
import { sendSignedOutPage } from '../shell/send.ts'
import { renderSignInPage, type SignInPage } from './page.ts'

type ConfiguredProperty =
  | 'nonce'
  | 'csrf'
  | 'isRegistrationOpen'
  | 'canSendMail'
  | 'hasPasskeys'
  | 'allowsPasswords'
  | 'provider'

/** The properties of the sign-in page that depend on the request. */
export type SignInForm = Partial<Omit<SignInPage, ConfiguredProperty>>

/** Sends the sign-in page with the methods that the settings allow. */
export function sendSignIn(
  ctx: HttpContext,
  reply: FastifyReply,
  form: SignInForm,
  options: { status?: number; headers?: Record<string, string> } = {},
): FastifyReply {
  const { config, provider } = ctx
  const csrf = issueFormToken(reply)
  const { registrationOpen: isRegistrationOpen, passwordSignIn: allowsPasswords } = config
  const canSendMail = config.mail !== undefined
  const configured = {
    csrf,
    isRegistrationOpen,
    canSendMail,
    allowsPasswords,
    provider: provider?.name,
    hasPasskeys: allowsPasswords && hasPasskeys(ctx),
  }
  return sendSignedOutPage(
    reply,
    (nonce) => renderSignInPage({ ...form, ...configured, nonce }),
    options,
  )
}
