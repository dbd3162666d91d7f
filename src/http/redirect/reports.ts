import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AppError } from '../../errors.ts'
import type { VisitLink } from '../../links/link.ts'
import { type ReportPage, reportedPage, reportPage } from '../../pages/report.ts'
import type { Services } from '../../services.ts'
import { errorHeaders, toAppError } from '../errors.ts'
import { checkFormToken, issueFormToken } from '../html/form-token.ts'
import { formAction, sendPage } from '../html/send-page.ts'

/** What stands behind the alias in the path of a link's report. */
export const REPORT = '+report'

/** Where a visitor reports a link, on whichever host that is. */
export function reportPath(link: VisitLink): string {
  return `${formAction(link)}${REPORT}`
}

/** Sends the form by which a visitor reports a link. */
export function sendReportForm(
  reply: FastifyReply,
  link: VisitLink,
  form: Pick<ReportPage, 'values' | 'errors'> = {},
  { status, headers }: { status: number; headers?: Record<string, string> } = { status: 200 },
): FastifyReply {
  const csrf = issueFormToken(reply)
  const { shortUrl } = link
  const action = reportPath(link)
  return sendPage(reply, (nonce) => reportPage({ ...form, nonce, shortUrl, action, csrf }), {
    status,
    ...(headers && { headers }),
  })
}

/** Takes a visitor's report of a link, or shows the form again with what is wrong. */
export async function answerReport(
  { reports }: Services,
  request: FastifyRequest,
  reply: FastifyReply,
  link: VisitLink,
): Promise<FastifyReply> {
  const body = (request.body ?? {}) as Record<string, unknown>
  checkFormToken(request, body.csrf)
  const values = { reason: textOf(body.reason), text: textOf(body.text) }
  try {
    await reports.add(link.id, request.ip, values)
  } catch (error) {
    const rejection = toAppError(error, request.log)
    const errors = faultOf(rejection)
    if (!errors) throw rejection
    const { status } = rejection
    return sendReportForm(
      reply,
      link,
      { values, errors },
      { status, headers: errorHeaders(rejection) },
    )
  }
  return sendPage(reply, (nonce) => reportedPage({ nonce }))
}

/** What is wrong, at its field; nothing for what is no fault of the form. */
function faultOf({ field, problem }: AppError): ReportPage['errors'] {
  if (field === 'reason') return { reason: 'Please choose one.' }
  return field === 'text' && problem ? { text: `This ${problem}.` } : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
