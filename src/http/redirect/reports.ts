import type { FastifyReply, FastifyRequest } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { AppError } from '../../errors.ts'
import type { VisitLink } from '../../links/link.ts'
import { type ReportPage, reportedPage, reportPage } from '../../pages/report.ts'
import { chooseLanguage, languageTag, visitorText } from '../../pages/texts.ts'
import { addReport, MAX_REPORT_TEXT } from '../../reports/report.service.ts'
import { createErrorHeaders, toAppError } from '../errors.ts'
import { checkFormToken, issueFormToken } from '../html/form-token.ts'
import { buildLinkPath, sendVisitorPage } from '../html/send-page.ts'

/** The suffix of an alias in the URL of the report form. */
export const REPORT_SUFFIX = '+report'

/** Returns the path of a link's report form on any host. */
export function buildReportPath(link: VisitLink): string {
  return `${buildLinkPath(link)}${REPORT_SUFFIX}`
}

/** Sends the form for reporting a link. */
export function sendReportForm(
  reply: FastifyReply,
  link: VisitLink,
  form: Pick<ReportPage, 'values' | 'errors'> = {},
  { status, headers }: { status: number; headers?: Record<string, string> } = { status: 200 },
): FastifyReply {
  const csrf = issueFormToken(reply)
  const { shortUrl } = link
  const action = buildReportPath(link)
  return sendVisitorPage(
    reply,
    (context) => reportPage({ ...form, ...context, shortUrl, action, csrf }),
    {
      status,
      ...(headers && { headers }),
    },
  )
}

/** Stores a visitor's report of a link, or sends the form again with the error. */
export async function handleReportForm(
  ctx: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  link: VisitLink,
): Promise<FastifyReply> {
  const body = (request.body ?? {}) as Record<string, unknown>
  checkFormToken(request, body.csrf)
  const values = { reason: readText(body.reason), text: readText(body.text) }
  try {
    await addReport(ctx, ctx.db, link.id, request.ip, values)
  } catch (error) {
    const rejection = toAppError(error, request)
    const errors = toFieldErrors(request, values.text, rejection)
    if (!errors) throw rejection
    const { status } = rejection
    return sendReportForm(
      reply,
      link,
      { values, errors },
      { status, headers: createErrorHeaders(rejection) },
    )
  }
  return sendVisitorPage(reply, (context) => reportedPage(context))
}

/** Returns the messages for an error in one of the form's fields, or undefined for any other error. */
function toFieldErrors(
  request: FastifyRequest,
  text: string,
  { field, problem }: AppError,
): ReportPage['errors'] {
  const language = chooseLanguage(request.headers['accept-language'])
  if (field === 'reason') return { reason: visitorText(language, 'report.chooseReason') }
  const isTooLong = [...text].length > MAX_REPORT_TEXT
  const count = new Intl.NumberFormat(languageTag(language)).format(MAX_REPORT_TEXT)
  if (field !== 'text' || !problem) return undefined
  return {
    text: isTooLong
      ? visitorText(language, 'report.tooLong', { count })
      : visitorText(language, 'report.invalidText'),
  }
}

function readText(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
