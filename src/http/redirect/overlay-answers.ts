import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { AppError } from '../../errors.ts'
import { checkEmail } from '../../identity/account.ts'
import type { Overlay, VisitLink } from '../../links/link.ts'
import type { OverlayForm } from '../../pages/overlay-card.ts'
import { chooseLanguage, languageTag, visitorText } from '../../pages/texts.ts'
import { countAnswer, recordAnswer } from '../../resources/overlay-answers.ts'
import { sendOverlay } from './destination-pages.ts'
import { checkOverlayToken, issueOverlayToken } from './overlay-token.ts'
import { buildFormAction } from './request-parts.ts'
import type { Visit } from './visit.ts'

type Errors = NonNullable<OverlayForm['errors']>
type SubmittedAnswer = { answer: Record<string, string>; errors: Errors }

const MAX_MESSAGE_LENGTH = 5000
const MAX_NAME_LENGTH = 200

/** Returns whether a link's overlay has a form. */
export function hasForm(link: VisitLink): boolean {
  const type = link.redirect === 'overlay' ? link.overlay?.type : undefined
  return type === 'contact' || type === 'newsletter' || type === 'poll'
}

/**
 * Removes the expiration of a link with a click limit, because the visit that showed the overlay may
 * have been the last one allowed. Returns other links unchanged.
 */
export function removeExpiration(link: VisitLink): VisitLink {
  return link.lifetime?.isLimited ? { ...link, expiresAt: null } : link
}

/**
 * Stores a visitor's answer to a link's overlay, and sends the page again with a thank-you note or
 * the errors of the form. If the link no longer shows an overlay, handles the request as a visit.
 *
 * @throws AppError `form_expired`, `forbidden`, `rate_limited`
 */
export async function handleOverlayForm(
  ctx: HttpContext,
  visit: Visit,
  request: FastifyRequest,
  reply: FastifyReply,
  link: VisitLink,
): Promise<FastifyReply> {
  const body = (request.body ?? {}) as Record<string, unknown>
  checkOverlayToken(ctx, request, link, body.csrf)
  const decision = visit.decideUnlocked(request, removeExpiration(link))
  if (decision.kind !== 'overlay') return visit.followAsync(request, reply, link)
  const retryAfter = await countAnswer(ctx, link.id, request.ip)
  if (retryAfter !== undefined) {
    reply.header('retry-after', String(retryAfter))
    throw new AppError('rate_limited')
  }
  const { overlay } = decision
  const form = {
    action: buildFormAction(link, reply.request),
    csrf: issueOverlayToken(ctx, reply, link),
  }
  const { answer, errors } = readAnswer(overlay, body, request)
  if (Object.keys(errors).length > 0) {
    const formWithErrors = { ...form, values: answer, errors }
    return sendOverlay(reply, link, decision, formWithErrors, { status: 400 })
  }
  await recordAnswer(ctx.db, overlay.id, link.id, answer)
  return sendOverlay(reply, link, decision, { ...form, done: true })
}

function readAnswer(
  overlay: Overlay,
  body: Record<string, unknown>,
  request: FastifyRequest,
): SubmittedAnswer {
  const language = chooseLanguage(request.headers['accept-language'])
  const describeTooLong = (count: number) =>
    visitorText(language, 'overlay.tooLong', {
      count: new Intl.NumberFormat(languageTag(language)).format(count),
    })
  if (overlay.type === 'poll')
    return readChoice(
      overlay,
      readText(body.choice),
      visitorText(language, 'overlay.choiceMissing'),
    )
  const answer: Record<string, string> = {}
  const errors: Errors = {}
  answer.email = readText(body.email)
  try {
    checkEmail(answer.email)
  } catch {
    errors.email = visitorText(language, 'overlay.emailInvalid')
  }
  if (overlay.type === 'newsletter') return { answer, errors }
  answer.name = readText(body.name)
  answer.message = readText(body.message)
  if (!answer.name) errors.name = visitorText(language, 'overlay.nameMissing')
  if (answer.name.length > MAX_NAME_LENGTH) errors.name = describeTooLong(MAX_NAME_LENGTH)
  if (!answer.message) errors.message = visitorText(language, 'overlay.messageMissing')
  if (answer.message.length > MAX_MESSAGE_LENGTH) {
    errors.message = describeTooLong(MAX_MESSAGE_LENGTH)
  }
  return { answer, errors }
}

/**
 * Reads the selected option of a poll. Browsers send its index, but its text is stored, so later
 * changes to the poll do not affect it.
 */
function readChoice({ options }: Overlay, choice: string, missingMessage: string): SubmittedAnswer {
  const option = /^\d{1,3}$/.test(choice) ? options[Number(choice)] : undefined
  if (option === undefined) return { answer: {}, errors: { choice: missingMessage } }
  return { answer: { choice: option }, errors: {} }
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}
