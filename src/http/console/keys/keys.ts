import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { listDomains } from '../../../domains/domain.service.ts'
import { AppError, checkAllAsync } from '../../../errors.ts'
import {
  type ApiKey,
  createKey,
  findKeyDomain,
  getKey,
  listKeys,
  MAX_NAME_LENGTH,
  type NewKey,
  revokeKey,
  rotateKey,
} from '../../../identity/key.service.ts'
import { checkScope, type KeyScope } from '../../../identity/key-scope.ts'
import { parseExpiry } from '../../../links/rules/expiry.ts'
import { csrfField } from '../../../pages/field.ts'
import { hostText } from '../../../pages/short-link-text.ts'
import { requireText } from '../../../text.ts'
import { t } from '../../../texts.ts'
import { describeError } from '../../html/describe-error.ts'
import { confirmPassword, renderSignInAgain } from '../kit/confirmation.ts'
import { renderControl, renderNoteAttributes, renderNotes } from '../kit/fields.ts'
import { defineForm, type PageState } from '../kit/form.ts'
import { renderBlank, renderCopyable, renderPanel } from '../kit/parts.ts'
import { renderConfirmedButton, renderPopup } from '../kit/popup.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { renderTable } from '../kit/table.ts'
import { formatMoment } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'
import { renderSectionIcon } from '../shell/navigation.ts'
import { readFields } from '../shell/send.ts'
import { createCurlCommand, renderRecipes } from './recipes.ts'

const PATH = '/console/keys'
const HOUR_MS = 3_600_000
/** How long a rotated key stays valid, by form value. */
const OVERLAPS = { none: 0, hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS }
type Overlap = keyof typeof OVERLAPS
/** The number of recently expired or revoked keys in the list. */
const MAX_ENDED_KEYS = 20
/** The maximum number of domains in the form. More would make it slow. */
const MAX_DOMAIN_CHOICES = 1000
/** The scopes in the order of the form. */
const SCOPES: readonly KeyScope[] = ['links', 'create', 'read', 'full']
/** This scope is sufficient for most apps and cannot change the account. */
const PRESELECTED_SCOPE = 'links'

/** The error of the rotation of a key. */
type RotationError = { id: number; text: string }

/**
 * Registers API keys: the list and the forms to create, rotate and revoke them. A full key can change
 * the account's password, so creating or rotating one requires the current password.
 */
export function registerKeyRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const { clock, config } = ctx
  const { page, submit, action } = defineSubject(app, PATH)
  const form = defineForm({
    name: {
      label: 'key.name',
      hint: 'key.nameHint',
      maxLength: MAX_NAME_LENGTH,
    },
    scope: {
      type: 'radio',
      label: 'key.scope',
      choices: () =>
        SCOPES.map((scope) => ({
          value: scope,
          label: t(`key.scopes.${scope}`),
          hint: t(`key.scopeHints.${scope}`),
        })),
    },
    domain: { type: 'select', label: 'key.domain', hint: 'key.domainHint' },
    expires: {
      type: 'date',
      label: 'key.expires',
      hint: 'key.expiresHint',
      optional: true,
    },
    currentPassword: {
      type: 'confirmation',
      label: 'key.password',
      hint: 'key.passwordHint',
      optional: true,
    },
  })

  page('/keys', 'owner', (request) => renderKeys(request))

  // The reply contains the new key. A redirect would require storing it.
  submit(
    '/keys',
    'owner',
    form,
    async (request, { name, domain, expires, currentPassword, ...values }) => {
      const [, scope, , expiresAt] = await checkAllAsync(
        () => requireText('name', name, MAX_NAME_LENGTH),
        () => checkScope(values.scope || PRESELECTED_SCOPE),
        () => findKeyDomain(request.scope, domain),
        () => (expires === '' ? null : parseExpiry('expires', expires, clock())),
        () => values.scope === 'full' && confirmPassword(ctx, request, currentPassword),
      )
      return renderNewKey(await createKey(request.scope, { name, scope, domain, expiresAt }))
    },
    (request, state) => renderKeys(request, state),
  )

  action(
    '/keys/:id/rotate',
    'owner',
    async (request) => {
      const { overlap, currentPassword } = readFields(request.body, ['overlap', 'currentPassword'])
      const duration = Object.entries(OVERLAPS).find(([name]) => name === overlap)
      if (!duration) throw new AppError('malformed_request')
      const { scope } = await getKey(request.scope, idOf(request))
      if (scope === 'full') await confirmPassword(ctx, request, currentPassword)
      return renderNewKey(await rotateKey(request.scope, idOf(request), duration[1]))
    },
    (request, rejection) => {
      if (['malformed_request', 'not_found'].includes(rejection.code)) throw rejection
      return renderKeys(request, {}, { id: idOf(request), text: describeError(rejection) })
    },
  )

  action('/keys/:id/revoke', 'owner', async (request) => {
    await revokeKey(request.scope, idOf(request))
    return { to: PATH, toast: 'keyRevoked' }
  })

  async function renderKeys(
    { scope, session }: ConsoleRequest,
    { values, errors }: PageState = {},
    rotationError?: RotationError,
  ): Promise<Page> {
    const { user } = session
    const now = clock()
    const [keys, { entries }] = await Promise.all([
      listKeys(scope),
      listDomains(scope, { limit: MAX_DOMAIN_CHOICES, offset: 0 }),
    ])
    const active = keys.filter((key) => isActive(key, now)).reverse()
    const ended = keys.filter((key) => !isActive(key, now)).reverse()
    const state = { values: { ...values, scope: values?.scope || PRESELECTED_SCOPE }, errors }
    const domains = entries.map(({ host }) => ({ value: host, label: hostText(host) }))
    const hasDomainField = domains.length > 0 || errors?.domain !== undefined
    const choices = hasDomainField ? [{ value: '', label: t('key.allDomains') }, ...domains] : []
    return {
      title: t('key.title'),
      body: (frame) => html`<h1>${t('key.title')}</h1>
<p class="soft">${t('key.about')}</p>
${keys.length === 0 ? renderBlank(t('key.none'), t('key.example'), html`<a class="button quiet" href="#new">${t('key.create')}</a>`, renderSectionIcon(PATH)) : null}
${renderPanel('new', t('key.new'), [
  form.renderError(state),
  form.render(frame, state, {
    action: PATH,
    button: t('key.create'),
    choices: { domain: choices },
  }),
])}
${
  keys.length > 0
    ? renderPanel(
        'all',
        t('key.all'),
        renderKeyTable(frame, [...active, ...ended.slice(0, MAX_ENDED_KEYS)], {
          now,
          timeZone: user.timeZone,
          rotationError,
        }),
      )
    : null
}
${renderRecipes(config)}`,
    }
  }

  /** Renders the page of a new key, which is shown only this once. */
  function renderNewKey(key: NewKey): Page {
    const { name, scope, domain } = key
    const facts = [
      name === null ? '' : t('key.newKey.named', { name }),
      t('key.newKey.scope', { name: t(`key.scopes.${scope}`) }),
      domain ? t('key.newKey.domain', { host: hostText(domain.host) }) : '',
      t('key.newKey.once'),
    ]
    return {
      title: t('key.newKey.title'),
      body: () => html`<h1>${t('key.newKey.title')}</h1>
<p class="soft">${facts.filter(Boolean).join(' ')}</p>
<div class="panel made">${renderCopyable({ id: 'key', text: key.key })}</div>
<h2 class="next">${t('key.newKey.try')}</h2>
<div class="panel">${renderCopyable({ id: 'curl', text: createCurlCommand(config.baseUrl, key) })}</div>
${renderRecipes(config, key)}
<p class="actions"><a class="button" href="${PATH}">${t('key.newKey.done')}</a></p>`,
    }
  }
}

type TableState = { now: Date; timeZone: string; rotationError: RotationError | undefined }

function renderKeyTable(
  frame: Frame,
  keys: readonly ApiKey[],
  { now, timeZone, rotationError }: TableState,
): SafeHtml {
  return renderTable(keys, [
    {
      head: t('key.name'),
      className: 'key-name-cell',
      cell: ({ name }) => name ?? t('key.unnamed'),
    },
    { head: t('key.key'), cell: ({ prefix }) => html`<code>${prefix}…</code>` },
    {
      head: t('key.scope'),
      cell: ({ scope, domain }) =>
        html`${t(`key.scopes.${scope}`)}${domain ? html` <span class="soft">${t('key.onDomain', { host: hostText(domain.host) })}</span>` : null}`,
    },
    { head: t('key.status'), cell: (key) => describeState(key, now, timeZone) },
    { head: t('key.created'), cell: ({ createdAt }) => formatMoment(createdAt, timeZone) },
    {
      head: t('key.lastUsed'),
      cell: ({ lastUsedAt }) => (lastUsedAt ? formatMoment(lastUsedAt, timeZone) : t('key.never')),
    },
    {
      head: t('shell.actions'),
      hidden: true,
      cell: (key) => (isActive(key, now) ? renderActions(frame, key, rotationError) : null),
    },
  ])
}

function renderActions(
  frame: Frame,
  { id, name, prefix, scope }: ApiKey,
  rotationError: RotationError | undefined,
): SafeHtml {
  const error = rotationError?.id === id ? rotationError.text : undefined
  const subject = name ?? prefix
  const overlaps = (Object.keys(OVERLAPS) as Overlap[]).map((value) => ({
    value,
    label: t(`key.overlaps.${value}`),
  }))
  const rotation = html`<form method="post" action="${PATH}/${id}/rotate">${csrfField(frame.csrf)}
<label>${t('key.overlap')}
${renderControl({ type: 'select', name: 'overlap', id: `overlap-${id}`, value: 'day', choices: overlaps })}</label>
${scope === 'full' ? renderPasswordField(frame, id, error) : null}
${renderNotes('rotation', { error })}
<p><button class="button">${t('key.rotateKey')}</button></p>
</form>`
  const isOpen = error !== undefined
  return html`<div class="actions">
${renderPopup({ id: `rotate-${id}`, text: t('key.rotate'), subject, content: rotation, isOpen })}
${renderConfirmedButton(frame, {
  action: `${PATH}/${id}/revoke`,
  summary: t('key.revoke'),
  subject,
  text: t('key.revokeText'),
  button: t('key.revokeKey'),
})}</div>`
}

/** Rotating a full key creates another full key, so it requires the password. */
function renderPasswordField(frame: Frame, id: number, error: string | undefined): SafeHtml {
  if (!frame.confirmsByPassword) return renderSignInAgain(frame)
  const attributes = html` required autocomplete="current-password"${renderNoteAttributes('rotation', { error })}`
  return html`<label for="password-${id}">${t('key.passwordToConfirm')}
${renderControl({ type: 'password', name: 'currentPassword', id: `password-${id}`, value: '', attributes })}</label>`
}

function isActive({ revokedAt, expiresAt }: ApiKey, now: Date): boolean {
  return revokedAt === null && (expiresAt === null || expiresAt > now)
}

function describeState(key: ApiKey, now: Date, timeZone: string): string {
  const { revokedAt, expiresAt } = key
  if (revokedAt) return t('key.revokedOn', { time: formatMoment(revokedAt, timeZone) })
  if (!expiresAt) return t('key.active')
  const time = formatMoment(expiresAt, timeZone)
  return isActive(key, now) ? t('key.activeUntil', { time }) : t('key.expiredOn', { time })
}
