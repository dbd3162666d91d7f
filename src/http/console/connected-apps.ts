import type { ServerResponse } from 'node:http'
import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { listDomains } from '../../domains/domain.service.ts'
import { AppError } from '../../errors.ts'
import { type ApiKey, createKey, revokeKey } from '../../identity/key.service.ts'
import { listMemberships } from '../../identity/member.service.ts'
import {
  type AuthorizationServer,
  CONNECTION_SCOPES,
} from '../../identity/oauth/authorization-server.ts'
import { originsOf } from '../../pages/csp.ts'
import { hostText } from '../../pages/short-link-text.ts'
import { scopeOf } from '../../scope.ts'
import { t } from '../../texts.ts'
import { isWebUrl } from '../../urls/destination-url.ts'
import { defineForm, type PageState } from './kit/form.ts'
import { renderButtonForm, renderPanel } from './kit/parts.ts'
import { renderConfirmedButton } from './kit/popup.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from './kit/subject.ts'
import { renderTable } from './kit/table.ts'
import { formatMoment } from './shell/format.ts'
import type { Frame } from './shell/layout.ts'

const PATH = '/console/settings'
/** The maximum number of domains in the form. More would make it slow. */
const MAX_DOMAIN_CHOICES = 1000

const form = defineForm({
  account: { type: 'select', label: 'apps.account', hint: 'apps.accountHint' },
  scope: {
    type: 'radio',
    label: 'key.scope',
    choices: () =>
      CONNECTION_SCOPES.map((scope) => ({
        value: scope,
        label: t(`key.scopes.${scope}`),
        hint: t(`apps.scopeHints.${scope}`),
      })),
  },
  domain: { type: 'select', label: 'key.domain', hint: 'apps.domainHint' },
})

/** Registers the page on which an owner connects an app by OAuth, and the end of a connection. */
export function registerConnectionRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { authorizationServer: server } = ctx
  if (!server) return
  const { page, submit, action } = defineSubject(app, PATH)

  page('/connect/:uid', 'viewer', (request, reply) => renderConsent(server, request, reply.raw))

  submit(
    '/connect/:uid',
    'viewer',
    form,
    async (request, { account, scope, domain }, reply) => {
      const { clientId, name } = await findRequest(server, request, reply.raw)
      const { user } = request.session
      const accounts = await listOwnAccounts(user.id)
      const chosen = accounts.find(({ accountId }) => String(accountId) === account)
      const keyScope = CONNECTION_SCOPES.find((each) => each === scope)
      if (!chosen || !keyScope) throw new AppError('malformed_request')
      const owner = scopeOf(ctx, chosen.accountId, request.scope.actor)
      const who = { userId: user.id, clientId }
      const to = await server.accept(request.raw, reply.raw, who, (grantId) =>
        createKey(owner, {
          scope: keyScope,
          domain,
          name,
          // The app gets the key's text with its first access token.
          expiresAt: ctx.clock(),
          connection: { grantId, userId: user.id },
        }),
      )
      return { to }
    },
    (request, state, { reply }) => renderConsent(server, request, reply.raw, state),
  )

  action('/connect/:uid/refuse', 'viewer', async (request, reply) => {
    await findRequest(server, request, reply.raw)
    return { to: await server.refuse(request.raw, reply.raw) }
  })

  action('/settings/apps/:id/disconnect', 'owner', async (request) => {
    await revokeKey(request.scope, idOf(request))
    return { to: PATH, toast: 'appDisconnected' }
  })

  async function listOwnAccounts(userId: number) {
    const memberships = await listMemberships(ctx.db, userId)
    return memberships.filter(({ role, suspended }) => role === 'owner' && !suspended)
  }

  async function renderConsent(
    authorizationServer: AuthorizationServer,
    request: ConsoleRequest,
    response: ServerResponse,
    { values, errors }: PageState = {},
  ): Promise<Page> {
    const { name, redirectUri } = await findRequest(authorizationServer, request, response)
    const { account, user } = request.session
    const accounts = await listOwnAccounts(user.id)
    const domains = await Promise.all(
      accounts.map(async ({ accountId, username }) => {
        const page = { limit: MAX_DOMAIN_CHOICES, offset: 0 }
        const { entries } = await listDomains(scopeOf(ctx, accountId), page)
        const suffix = accounts.length > 1 ? ` (${username})` : ''
        return entries.map(({ host }) => ({ value: host, label: `${hostText(host)}${suffix}` }))
      }),
    )
    const path = `/console/connect/${request.params.uid}`
    const preselected = { account: String(account.id), scope: CONNECTION_SCOPES[0] }
    const state = { values: { ...preselected, ...values }, errors }
    const choices = {
      account: accounts.map(({ accountId, username }) => ({
        value: String(accountId),
        label: username,
      })),
      domain: [{ value: '', label: t('key.allDomains') }, ...domains.flat()],
    }
    return {
      title: t('apps.connect', { name }),
      policy: { formAction: ["'self'", ...formTargets(redirectUri)] },
      body: (frame) => {
        const refusal = html`<div class="actions">${renderButtonForm(frame, {
          action: `${path}/refuse`,
          text: t('apps.refuse'),
          className: 'button quiet',
        })}</div>`
        const access = [
          form.renderError(state),
          form.render(frame, state, { action: path, button: t('apps.allow'), choices }),
          refusal,
        ]
        const notice = html`<p class="notice" role="alert">${t('apps.noAccount')}</p>${refusal}`
        return html`<h1>${t('apps.connect', { name })}</h1>
<p>${t('apps.connectText', { name, target: describeTarget(redirectUri) })}</p>
<p class="soft">${t('apps.caution')}</p>
${accounts.length === 0 ? notice : renderPanel('connect', t('apps.access'), access)}`
      },
    }
  }
}

/** @throws AppError `gone` if this browser has no such request, or no longer */
async function findRequest(
  server: AuthorizationServer,
  { raw, params }: ConsoleRequest,
  response: ServerResponse,
) {
  const found = await server.findRequest(raw, response, params.uid ?? '')
  if (!found) throw new AppError('sign_in_expired', { text: 'apps.expired' })
  return found
}

/** Returns the sources that may receive the redirect of the form: an app's own scheme, or its site. */
function formTargets(redirectUri: string): string[] {
  const url = new URL(redirectUri)
  return isWebUrl(url) ? originsOf([redirectUri]) : [url.protocol]
}

function describeTarget(redirectUri: string): string {
  const url = new URL(redirectUri)
  return isWebUrl(url) ? url.host : url.protocol
}

/** Renders the apps that are connected to an account. */
export function renderConnectedApps(
  frame: Frame,
  connections: readonly ApiKey[],
  { account, timeZone }: { account: string; timeZone: string },
): SafeHtml {
  return renderPanel('apps', t('apps.title'), [
    html`<p class="soft">${t('apps.about', { account })}</p>`,
    renderTable(
      connections,
      [
        { head: t('apps.app'), cell: ({ name }) => name },
        {
          head: t('key.scope'),
          cell: ({ scope, domain }) =>
            html`${t(`key.scopes.${scope}`)}${domain ? html` <span class="soft">${t('key.onDomain', { host: hostText(domain.host) })}</span>` : null}`,
        },
        { head: t('apps.connected'), cell: ({ createdAt }) => formatMoment(createdAt, timeZone) },
        {
          head: t('key.lastUsed'),
          cell: ({ lastUsedAt }) =>
            lastUsedAt ? formatMoment(lastUsedAt, timeZone) : t('key.never'),
        },
        {
          head: t('shell.actions'),
          hidden: true,
          cell: ({ id, name }) =>
            renderConfirmedButton(frame, {
              action: `${PATH}/apps/${id}/disconnect`,
              summary: t('apps.disconnect'),
              subject: name ?? '',
              text: t('apps.disconnectText'),
              button: t('apps.disconnectApp'),
            }),
        },
      ],
      { empty: t('apps.none') },
    ),
  ])
}
