import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyReply } from 'fastify'
import { csrfField } from '../../../pages/field.ts'
import { type TextsIn, t, tAll } from '../../../texts.ts'
import { withScript } from '../assets.ts'
import { renderHidden } from '../kit/fields.ts'
import { renderIcon } from './icon.ts'

export type ToastName = TextsIn<'shell.toasts'>

/** The confirmation of a change. Without `name`, the page has its own text. */
export type Toast = {
  name: ToastName | undefined
  /** The id of the action that undoes the change. */
  undo: number | undefined
}

const COOKIE = 'brevis_toast'
/** Short, because the cookie is only for the next page. */
const MAX_AGE_SECONDS = 30

/**
 * Stores the confirmation of a change for the browser's next page. An empty `name` means that the page
 * has its own text. `undo` is the id of the action that undoes the change.
 */
export function setToast(reply: FastifyReply, name: ToastName | '', undo?: number): void {
  reply.setCookie(COOKIE, undo === undefined ? name : `${name}.${undo}`, {
    path: '/console',
    maxAge: MAX_AGE_SECONDS,
    httpOnly: true,
    sameSite: 'lax',
    secure: reply.request.protocol === 'https',
  })
}

/** Returns the pending confirmation and clears it. */
export function takeToast(reply: FastifyReply): Toast | undefined {
  const { request } = reply
  const value = request.server.parseCookie(request.headers.cookie ?? '')[COOKIE]
  if (value === undefined) return undefined
  reply.clearCookie(COOKIE, { path: '/console' })
  return parseToast(value)
}

/** Parses the value of the cookie, which is untrusted. */
export function parseToast(value: string): Toast {
  const [nameText = '', undo = ''] = value.split('.')
  const name = (Object.keys(tAll('shell.toasts')) as ToastName[]).find((each) => each === nameText)
  return { name, undo: /^[1-9]\d{0,14}$/.test(undo) ? Number(undo) : undefined }
}

type ToastContext = { csrf: string; path: string; toast?: Toast | undefined }

/**
 * Renders the confirmation at the bottom of a page, or returns null if there is nothing to confirm.
 * `text` replaces its usual text.
 */
export function renderToastBox(
  { csrf, path, toast }: ToastContext,
  text?: string,
): SafeHtml | null {
  const message = text ?? (toast?.name === undefined ? undefined : t(`shell.toasts.${toast.name}`))
  if (message === undefined) return null
  return html`<div class="toast" id="toast"${withScript('toast')}><p role="status">${message}</p>${toast?.undo ? renderUndoForm(csrf, path, toast.undo) : null}<button class="toast-close" type="button" data-dismiss hidden>${renderIcon('close')}<span class="hidden-text">${t('shell.dismiss')}</span></button></div>`
}

function renderUndoForm(csrf: string, path: string, id: number): SafeHtml {
  return html`<form method="post" action="/console/links/undo">${csrfField(csrf)}${renderHidden({ back: path, id: String(id) })}<button class="toast-undo">${t('shell.undo')}</button></form>`
}
