import { html, type SafeHtml } from '@remix-run/html-template'
import type { Account } from '../../../identity/account.ts'
import type { listKeys } from '../../../identity/key.service.ts'
import type { StorageUsage } from '../../../identity/storage.ts'
import type { Member } from '../../../identity/user.ts'
import type { AccountEntry, OperatorAccount } from '../../../operator/operator-accounts.service.ts'
import type { LogLine } from '../../../operator-log/operator-log.service.ts'
import { type TextsIn, t } from '../../../texts.ts'
import { describeStorage } from '../account.ts'
import { renderPanel, renderUntitledPanel } from '../kit/parts.ts'
import { buildPath } from '../kit/query.ts'
import { renderTable } from '../kit/table.ts'
import { formatCount, formatDay, formatMoment } from '../shell/format.ts'
import { renderLogTable } from './log.ts'
import { renderAdminBadge, USERS_PATH } from './users.ts'

type ApiKey = Awaited<ReturnType<typeof listKeys>>[number]

type Usage = {
  /** Undefined while statistics are unavailable. */
  clicks: number | undefined
  storage: StorageUsage
}

/** Renders the facts of an account. */
export function renderDetails(
  account: AccountEntry,
  { clicks, storage }: Usage,
  now: Date,
  zone: string,
): SafeHtml {
  return renderUntitledPanel(
    t('admin.account.details'),
    html`<dl class="facts">
<dt>${t('admin.account.email')}</dt><dd>${account.email}</dd>
<dt>${t('admin.account.state')}</dt><dd>${describeState(account)}</dd>
<dt>${t('admin.account.plan')}</dt><dd>${describePlan(account, now, zone)}</dd>
<dt>${t('admin.links')}</dt><dd>${formatCount(account.links)}</dd>
<dt>${t('admin.clicks')}</dt><dd>${clicks === undefined ? t('admin.account.unavailable') : formatCount(clicks)}</dd>
<dt>${t('account.storage.title')}</dt><dd>${describeStorage(storage)}</dd>
<dt>${t('admin.created')}</dt><dd>${formatMoment(account.registeredAt, zone)}</dd>
</dl>`,
  )
}

/** Describes the state of an account. */
export function describeState({ deleting, suspended }: OperatorAccount): string {
  const enabled: TextsIn<'admin.account.states'> = suspended ? 'suspended' : 'active'
  return t(`admin.account.states.${deleting ? 'deleting' : enabled}`)
}

/** Describes the plan of an account with its expiration, if any. */
export function describePlan({ plan, expiresAt }: Account, now: Date, zone: string): string {
  if (!expiresAt) return plan
  const key = expiresAt <= now ? 'admin.account.planExpired' : 'admin.account.planUntil'
  return t(key, { plan, date: formatMoment(expiresAt, zone) })
}

/** Renders the members of an account, and the form that adds one. */
export function renderMembersPanel(
  members: readonly Member[],
  form: SafeHtml | null,
  now: Date,
  zone: string,
): SafeHtml {
  const table = renderTable(members, [
    {
      head: t('admin.user.columns.email'),
      cell: (member) =>
        html`<a href="${USERS_PATH}/${member.id}">${member.email}</a>${renderAdminBadge(member)}`,
    },
    { head: t('admin.user.columns.role'), cell: ({ role }) => t(`roles.${role}`) },
    { head: t('admin.user.columns.created'), cell: ({ since }) => formatDay(since, now, zone) },
  ])
  return renderPanel('members', t('admin.user.members'), [table, form])
}

/** Renders the API keys of an account, without the keys themselves. */
export function renderKeysPanel(keys: readonly ApiKey[], now: Date, zone: string): SafeHtml {
  const table = renderTable(
    keys,
    [
      {
        head: t('admin.account.keys.name'),
        dirAuto: true,
        cell: ({ name }) => name ?? t('admin.account.keys.unnamed'),
      },
      { head: t('admin.account.keys.key'), cell: ({ prefix }) => html`<code>${prefix}…</code>` },
      {
        head: t('admin.account.keys.scope'),
        cell: ({ scope, domain }) =>
          html`${t(`key.scopes.${scope}`)}${domain ? html` <span class="soft">${t('admin.account.keys.on', { domain: domain.host })}</span>` : null}`,
      },
      { head: t('admin.status'), cell: (key) => describeKeyState(key, now, zone) },
      {
        head: t('admin.created'),
        className: 'when',
        cell: ({ createdAt }) => formatMoment(createdAt, zone),
      },
      {
        head: t('admin.account.keys.lastUsed'),
        className: 'when',
        cell: ({ lastUsedAt }) =>
          lastUsedAt ? formatMoment(lastUsedAt, zone) : t('admin.account.keys.never'),
      },
    ],
    { empty: t('admin.account.keys.empty') },
  )
  return renderPanel('api-keys', t('admin.account.keys.title'), table)
}

function describeKeyState({ expiresAt, revokedAt }: ApiKey, now: Date, zone: string): string {
  if (revokedAt) return t('admin.account.keys.revoked', { date: formatMoment(revokedAt, zone) })
  if (!expiresAt) return t('admin.account.keys.active')
  return t(`admin.account.keys.${expiresAt <= now ? 'expired' : 'activeUntil'}`, {
    date: formatMoment(expiresAt, zone),
  })
}

/** Renders what admins did with an account last. */
export function renderLogPanel(
  username: string,
  lines: readonly LogLine[],
  zone: string,
): SafeHtml {
  const log = html`${renderLogTable(lines, zone)}
<p class="small"><a href="${buildPath('/console/operator/log', { subject: username })}">${t('admin.account.viewLog')}</a></p>`
  const none = html`<p class="soft">${t('admin.noActivity')}</p>`
  return renderPanel('done', t('admin.activity'), lines.length > 0 ? log : none)
}
