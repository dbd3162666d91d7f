import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Account, checkPlan } from '../../../../accounts/account.ts'
import { listKeys } from '../../../../accounts/key.service.ts'
import { getStorageUsage } from '../../../../accounts/storage.ts'
import { countClicksOfAccount, ifAvailable } from '../../../../clicks/read.ts'
import type { HttpContext } from '../../../../context.ts'
import { type AppError, invalid } from '../../../../errors.ts'
import { parseExpiry } from '../../../../links/rules/expiry.ts'
import {
  changePlan,
  deleteAccount,
  suspendAccount,
} from '../../../../operator/account-actions.service.ts'
import { getOperatorAccount } from '../../../../operator/operator-accounts.service.ts'
import { listLogLines } from '../../../../operator/operator-log.service.ts'
import { addMember } from '../../../../operator/user-actions.service.ts'
import { listMembers } from '../../../../people/member.service.ts'
import { readRole } from '../../../../people/user.ts'
import { findText, t } from '../../../../texts.ts'
import { createErrorHeaders, toAppError } from '../../../errors.ts'
import { describeError } from '../../../html/describe-error.ts'
import { parsePathId } from '../../../request/path-id.ts'
import { formatDate } from '../../../timestamp.ts'
import { describeFormError, describeLabeledError } from '../../errors/labeled-error.ts'
import { confirmPassword } from '../../kit/confirmation.ts'
import { readText } from '../../kit/query.ts'
import { formFor, pageFor } from '../../kit/roles.ts'
import { formatDay, formatMoment } from '../../shell/format-day.ts'
import { readFields, sendConsolePage } from '../../shell/send.ts'
import { sendUserLink } from '../users/send-user-link.ts'
import { type AccountForm, renderAccountPage } from './account-page.ts'
import { describeKeyState, describePlan, getAccountState } from './account-texts.ts'

type AccountRequest = FastifyRequest<{ Params: { id: string } }>

const PATH = '/console/operator/accounts'
/** The maximum number of keys and of log lines on the page. */
const MAX_KEYS = 50
const MAX_LINES = 5

/** The form field that shows an error, by the error's field. Other errors appear above the forms. */
const FIELDS: ReadonlyMap<string, string> = new Map([
  ['reason', 'reason'],
  ['expires', 'expires'],
  ['username', 'username'],
  ['currentPassword', 'deletionPassword'],
])

/** The form field for a new member that shows an error, by the error's field. */
const MEMBER_FIELDS: ReadonlyMap<string, string> = new Map([
  ['email', 'email'],
  ['currentPassword', 'password'],
])

/** Registers the routes of an account's page for admins, and of the admins' actions on it. */
export function registerAccountRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock } = ctx

  app.route({
    ...pageFor('viewer'),
    url: '/accounts/:id',
    handler: async ({ params, query }: AccountRequest, reply) =>
      sendAccount(reply, parsePathId(params.id), {
        confirmation: findConfirmation(readText(query, 'done')),
      }),
  })

  app.post('/accounts/:id/suspend', formFor('viewer'), async (request: AccountRequest, reply) => {
    const { reason } = readFields(request.body, ['reason'])
    return attempt(request, reply, { reason }, async (actor, id) => {
      await suspendAccount(ctx, ctx.db, actor, id, { suspended: true, reason })
      return `${PATH}/${id}?done=suspended`
    })
  })

  app.post('/accounts/:id/resume', formFor('viewer'), async (request: AccountRequest, reply) =>
    attempt(request, reply, {}, async (actor, id) => {
      await suspendAccount(ctx, ctx.db, actor, id, { suspended: false })
      return `${PATH}/${id}?done=resumed`
    }),
  )

  app.post('/accounts/:id/plan', formFor('viewer'), async (request: AccountRequest, reply) => {
    const { plan, expires } = readFields(request.body, ['plan', 'expires'])
    return attempt(request, reply, { plan, expires }, async (actor, id) => {
      const account = await getOperatorAccount(ctx.db, id)
      if (plan === account.plan && expires === findExpirationField(account)) {
        return `${PATH}/${id}?done=nothing`
      }
      const expiresAt = expires === '' ? null : parseExpiry('expires', expires, clock())
      const change = { plan: checkPlan(plan), expiresAt: expiresAt }
      await changePlan(ctx, ctx.db, actor, id, change)
      return `${PATH}/${id}?done=plan`
    })
  })

  app.post('/accounts/:id/members', formFor('viewer'), async (request: AccountRequest, reply) => {
    const fields = readFields(request.body, ['email', 'role', 'memberPassword'])
    const id = parsePathId(request.params.id)
    const role = readRole(fields.role)
    try {
      if (!role) throw invalid('role', 'role')
      await confirmPassword(ctx, request, fields.memberPassword)
      const account = await getOperatorAccount(ctx.db, id)
      const actor = request.session.user.email
      const input = { email: fields.email, role }
      const added = await addMember(ctx, ctx.db, actor, account, input)
      return sendUserLink(ctx, reply, added, {
        section: PATH,
        next: `${PATH}/${id}`,
        done: { mailed: 'invited', known: 'added' },
      })
    } catch (error) {
      const rejection = toAppError(error, request)
      if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
      const errorField = MEMBER_FIELDS.get(rejection.field ?? '')
      const errors = errorField ? { [errorField]: describeError(rejection) } : {}
      const member = { email: fields.email, role, errors }
      const fieldError = {
        field: errorField ? 'member' : 'form',
        text: describeLabeledError(rejection),
      }
      return sendAccount(reply, id, { member, fieldError }, errorField ? undefined : rejection)
    }
  })

  app.post('/accounts/:id/delete', formFor('viewer'), async (request: AccountRequest, reply) => {
    const { username, deletionPassword } = readFields(request.body, [
      'username',
      'deletionPassword',
    ])
    return attempt(request, reply, { username }, async (actor, id) => {
      const account = await getOperatorAccount(ctx.db, id)
      if (username.trim() !== account.username) {
        throw invalid('username', 'name_of_account')
      }
      await confirmPassword(ctx, request, deletionPassword)
      await deleteAccount(ctx, ctx.db, actor, id)
      return `${PATH}?done=deleted`
    })
  })

  /** Runs a form's action and redirects, or shows the account again with the error at its field. */
  async function attempt(
    { params, session }: AccountRequest,
    reply: FastifyReply,
    input: AccountForm['input'],
    work: (actor: string, id: number) => Promise<string>,
  ): Promise<FastifyReply> {
    const id = parsePathId(params.id)
    try {
      return reply.redirect(await work(session.user.email, id), 303)
    } catch (error) {
      const rejection = toAppError(error, reply.request)
      if (rejection.status >= 500 || rejection.code === 'not_found') throw rejection
      const fieldName = FIELDS.get(rejection.field ?? '') ?? 'form'
      const text = describeFormError(fieldName, rejection)
      const form = { ...(input && { input }), fieldError: { field: fieldName, text } }
      return sendAccount(reply, id, form, fieldName === 'form' ? rejection : undefined)
    }
  }

  async function sendAccount(
    reply: FastifyReply,
    id: number,
    form: AccountForm,
    rejection?: AppError,
  ): Promise<FastifyReply> {
    const account = await getOperatorAccount(ctx.db, id)
    const { username, email, plan, hasAdmin, links, registeredAt } = account
    const [clicks, allKeys, lines, members, storage] = await Promise.all([
      ifAvailable(countClicksOfAccount(ctx.db, id)),
      listKeys(ctx.db, id),
      listLogLines(ctx.db, { subject: username }, { limit: MAX_LINES }),
      listMembers(ctx.db, id),
      getStorageUsage(ctx.db, ctx.config.bytesPerAccount, id),
    ])
    const now = clock()
    const zone = reply.request.session.user.timeZone
    const recentKeys = allKeys.slice(-MAX_KEYS).map((key) => ({
      name: key.name,
      prefix: key.prefix,
      scope: t(`key.scopes.${key.scope}`),
      domain: key.domain?.host ?? null,
      state: describeKeyState(key, now, zone),
      createdAt: formatMoment(key.createdAt, zone),
      lastUsed: key.lastUsedAt && formatMoment(key.lastUsedAt, zone),
    }))
    const view = {
      id,
      username,
      email,
      plan,
      hasAdmin,
      links,
      clicks,
      storage,
      form,
      planText: describePlan(account, now, zone),
      expires: findExpirationField(account),
      state: getAccountState(account),
      isOwn: id === reply.request.session.account.id,
      members: members.map(({ since, ...member }) => ({
        ...member,
        since: formatDay(since, now, zone),
      })),
      registered: formatMoment(registeredAt, zone),
      keys: recentKeys.reverse(),
      log: lines,
    }
    return sendConsolePage(reply, (frame) => renderAccountPage(frame, view), {
      status: rejection?.status ?? (form.fieldError ? 422 : 200),
      headers: rejection ? createErrorHeaders(rejection) : {},
    })
  }
}

/** Returns the confirmation of the change that the URL names. */
function findConfirmation(name: string): string | undefined {
  return findText('admin.account.done', name) ?? findText('admin.user.done', name)
}

/** Returns the expiration of a plan as a form value. */
function findExpirationField({ expiresAt }: Account): string {
  return expiresAt ? formatDate(expiresAt) : ''
}
