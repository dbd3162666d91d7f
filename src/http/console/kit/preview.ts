import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { CspExtras } from '../../../pages/csp.ts'
import { page } from '../../../pages/layout.ts'
import { getLanguage, t } from '../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../errors.ts'
import { sendPage } from '../../html/send-page.ts'
import { withScript } from '../assets.ts'
import { describeLabeledError, findFieldLabel } from '../shell/describe-error.ts'
import { formFor, pageFor } from './roles.ts'
import type { ConsoleRequest } from './subject.ts'

/** What a form would create, as a page with additions to its content security policy. */
export type Preview = {
  render: (nonce: string) => string
  policy?: CspExtras
}

/** Additions to the content security policy of a page that has a preview. */
export const previewPolicy: CspExtras = { frameSrc: ["'self'"] }

/**
 * Previews are shown only in a frame of the console and are sandboxed, because they contain untrusted
 * input.
 */
const framePolicy: CspExtras = { frameAncestors: ["'self'"], formAction: ["'none'"], sandbox: true }
const frameHeaders = { 'x-frame-options': 'SAMEORIGIN' }

/**
 * Registers a preview: of the stored or initial values when its form opens (GET), and of the current
 * values while the user edits them (POST). Errors are shown inside of the frame.
 */
export function registerPreview(
  app: FastifyInstance,
  url: string,
  draw: (request: ConsoleRequest) => Promise<Preview>,
  findLabel: (field: string) => string | undefined = () => undefined,
): void {
  const route = {
    url,
    handler: async (request: ConsoleRequest, reply: FastifyReply) =>
      sendPreview(reply, await draw(request)),
    errorHandler: (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => {
      const error = toAppError(thrown, request)
      const text = describeLabeledError(error, (field) => findLabel(field) ?? findFieldLabel(field))
      return sendPreview(reply, createPreviewError(text), {
        status: error.status,
        headers: createErrorHeaders(error),
      })
    },
  }
  app.route({ ...pageFor('viewer'), ...route })
  const { config, ...options } = formFor('editor')
  app.route({ ...options, method: 'POST', config: { ...config, preview: true }, ...route })
}

/** Returns the page that is shown while a preview is not possible, with the reason. */
export function createPreviewError(
  text: string,
  /** Whether a required value is still missing, rather than wrong. */
  isMissing = false,
): Preview {
  const title = t('shell.preview.nothing')
  const body = html`<h1>${title}</h1>
${isMissing ? html`<p class="soft">${text}</p>` : html`<p class="notice" role="alert">${text}</p>`}`
  return { render: (nonce) => page({ language: getLanguage(), title, nonce, body }) }
}

/** The id of a form that has a preview. */
export const PREVIEWED_FORM = 'form'

/**
 * Renders a preview in a frame beside its form, whose path plus `/preview` draws it. A script updates
 * it while the user edits the form. A button does so without scripts.
 */
export function renderPreviewPanel(
  formPath: string,
  /** A sentence about the preview. */
  note: string,
  /** The query of the initial preview. */
  query = '',
): SafeHtml {
  const path = `${formPath}/preview`
  return html`<section class="panel preview" aria-labelledby="preview-title">
<h2 id="preview-title">${t('shell.preview.title')}</h2>
<p class="small soft">${note}</p>
<iframe name="preview" title="${t('shell.preview.title')}" src="${path}${query}" sandbox data-frame></iframe>
<p class="by-hand"><button class="button quiet" form="${PREVIEWED_FORM}" formaction="${path}" formtarget="preview" formnovalidate data-preview${withScript('preview')}>${t('shell.preview.update')}</button></p>
</section>`
}

function sendPreview(
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
