import type { FastifyReply } from 'fastify'
import type { Config } from '../../../../config.ts'
import type { AddedUser } from '../../../../operator/user-actions.service.ts'
import { sendConsolePage } from '../../shell/send.ts'
import { getLinkValidity, renderLinkForUserPage } from './link-page.ts'

type NextPage = {
  section: '/console/operator/accounts'
  /** The page to continue to. */
  next: string
  /** The values of `done` for a user whose link was mailed, and for an existing user. */
  done: { mailed: string; known: string }
}

/** Shows the link of a new user once, or continues if it was mailed or the user existed before. */
export function sendUserLink(
  { config }: { config: Pick<Config, 'passwordSignIn'> },
  reply: FastifyReply,
  { user: { email }, welcome }: AddedUser,
  { section, next, done }: NextPage,
): FastifyReply {
  const { url } = welcome ?? {}
  if (url === undefined) {
    return reply.redirect(`${next}?done=${welcome ? done.mailed : done.known}`, 303)
  }
  const link = { email, url, validity: getLinkValidity(config), section, next }
  return sendConsolePage(reply, (frame) => renderLinkForUserPage(frame, link))
}
