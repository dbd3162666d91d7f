import type { FastifyReply } from 'fastify'
import { includesRole } from '../../../identity/user.ts'
import type { CspExtras } from '../../../pages/csp.ts'
import { sendPage } from '../../html/send-page.ts'
import type { Frame } from './layout.ts'
import { readTheme } from './theme.ts'
import { takeToast } from './toast.ts'

type Status = { status?: number; headers?: Record<string, string> }
type SendOptions = Status & { policy?: CspExtras }

/** With `no-referrer`, browsers send `Origin: null` with forms, which `checkSameOrigin` rejects. */
const REFERRER = { 'referrer-policy': 'same-origin' }

/** Console scripts may send requests to this site. */
const POLICY = { connectSrc: ["'self'"] }

/**
 * Sends a console page to the signed-in user. `policy` adds to the content security policy.
 */
export function sendConsolePage(
  reply: FastifyReply,
  render: (frame: Frame) => string,
  { status = 200, headers = {}, policy = {} }: SendOptions = {},
): FastifyReply {
  const { request } = reply
  const { csrf, account, role, user, hasProvider } = request.session
  const { findRole } = request.server
  const frame = {
    csrf,
    username: account.username,
    email: user.email,
    role,
    may: (method: 'GET' | 'POST', path: string) =>
      includesRole(role, findRole(method, path) ?? 'viewer'),
    isAdmin: user.admin,
    theme: readTheme(request),
    timeZone: user.timeZone,
    confirmsByPassword: user.hasPassword,
    hasProvider,
    // A page that replies to a POST has no URL of its own.
    path: request.method === 'GET' ? request.url : '/console/links',
    toast: takeToast(reply),
  }
  return sendPage(reply, (nonce) => render({ ...frame, nonce }), {
    status,
    policy: { ...POLICY, ...policy },
    headers: { ...REFERRER, ...headers },
  })
}

/**
 * Returns the text fields of a submitted form or a query. Missing or repeated fields become empty
 * strings.
 */
export function readFields<Name extends string>(
  body: unknown,
  names: readonly Name[],
): Record<Name, string> {
  const fields = (body ?? {}) as Record<string, unknown>
  const entries = names.map((name) => {
    const value = fields[name]
    return [name, typeof value === 'string' ? value : '']
  })
  return Object.fromEntries(entries) as Record<Name, string>
}
