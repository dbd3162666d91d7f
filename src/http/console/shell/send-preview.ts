import type { FastifyReply, FastifyRequest } from 'fastify'
import type { CspExtras } from '../../../pages/csp.ts'
import type { Role } from '../../../people/user.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { sendPage } from '../../html/send-page.ts'
import { describeLabeledError, findFieldLabel } from '../errors/labeled-error.ts'
import { renderPreviewErrorPage } from './preview-error.ts'

/** The preview of a page, with the additions to its content security policy. */
export type Preview = {
  render: (nonce: string) => string
  policy?: CspExtras
}

/** Content security policy additions for pages with a preview. */
export const previewPolicy: CspExtras = { frameSrc: ["'self'"] }

/**
 * Previews are shown only in a frame of the console and are sandboxed, because they contain untrusted
 * input.
 */
const framePolicy: CspExtras = { frameAncestors: ["'self'"], formAction: ["'none'"], sandbox: true }
const frameHeaders = { 'x-frame-options': 'SAMEORIGIN' }

/** Returns the options of a preview route, which shows errors inside the frame. */
export function createPreviewRouteOptions(
  role: Role,
  findLabel: (field: string) => string | undefined = () => undefined,
) {
  return {
    schema: { hide: true },
    config: { preview: true, role },
    errorHandler: (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const error = toAppError(thrown, request)
      const text = describeLabeledError(error, (field) => findLabel(field) ?? findFieldLabel(field))
      return sendPreview(
        reply,
        { render: (nonce) => renderPreviewErrorPage({ nonce, text }) },
        { status: error.status, headers: createErrorHeaders(error) },
      )
    },
  }
}

/** Sends a sandboxed page for a frame of the console. */
export function sendPreview(
  reply: FastifyReply,
  { render, policy = {} }: Preview,
  { status = 200, headers = {} }: { status?: number; headers?: Record<string, string> } = {},
): FastifyReply {
  return sendPage(reply, render, {
    status,
    policy: { ...policy, ...framePolicy },
    headers: { ...headers, ...frameHeaders },
  })
}
