import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { Actor } from '../../../actor.ts'
import type { AppError } from '../../../errors.ts'
import { FIELD_NAMES, FIELDS } from '../../../links/fields.ts'
import { getLink } from '../../../links/link.service.ts'
import type { Rule } from '../../../links/rules/rule.ts'
import type { Variant } from '../../../links/split.ts'
import type { Change, Changes } from '../../../links/versions/snapshot.ts'
import {
  CREATION,
  listVersions,
  restoreVersion,
  type Version,
} from '../../../links/versions/version.service.ts'
import { findText, t, tHtml } from '../../../texts.ts'
import { linkNameText } from '../kit/link-name.ts'
import { renderPager } from '../kit/pager.ts'
import { renderNotices } from '../kit/parts.ts'
import { renderConfirmedButton } from '../kit/popup.ts'
import { type ConsoleRequest, defineSubject, idOf, type Page } from '../kit/subject.ts'
import { summarizeRule } from '../link-editor/rule-fields.ts'
import { formatRules } from '../link-editor/rules.ts'
import { describeLabeledError } from '../shell/describe-error.ts'
import { formatCount, formatMoment, formatPercent } from '../shell/format.ts'
import type { Frame } from '../shell/layout.ts'

const PER_PAGE = 50
const MAX_PAGE = 1000

/** Registers the history of a link: its versions, newest first, each with a form that restores it. */
export function registerHistoryRoutes(app: FastifyInstance): void {
  const { page, action } = defineSubject(app, '/console/links')

  page('/links/:id/history', 'viewer', (request) => renderHistory(request))

  action(
    '/links/:id/history/:version/restore',
    'editor',
    async (request) => {
      const { params } = request
      const id = idOf(request)
      const version = params.version === String(CREATION) ? CREATION : idOf(request, 'version')
      await restoreVersion(request.scope, id, version)
      return { to: `/console/links/${id}/history`, toast: 'versionRestored' }
    },
    async (request, rejection) => {
      if (rejection.code === 'not_found') throw rejection
      return renderHistory(request, rejection)
    },
  )

  async function renderHistory(request: ConsoleRequest, rejection?: AppError): Promise<Page> {
    const { user } = request.session
    const link = await getLink(request.scope, idOf(request))
    const requested = Number(request.query.page)
    const number = Number.isSafeInteger(requested) ? Math.max(1, Math.min(requested, MAX_PAGE)) : 1
    const slice = { limit: PER_PAGE, offset: (number - 1) * PER_PAGE }
    const { entries, total } = await listVersions(request.scope, link.id, slice)
    const path = `/console/links/${link.id}`
    const hrefOf = (other: number) => `${path}/history?page=${other}`
    const text = linkNameText(link)
    return {
      title: `${t('history.title')} · ${text}`,
      body: (frame) => html`<p class="small back"><a href="${path}"><bdi>${text}</bdi></a></p>
<h1>${t('history.title')}</h1>
<p class="soft">${t('history.lead')}</p>
${renderNotices({ error: rejection && describeLabeledError(rejection) })}
${
  entries.length === 0
    ? html`<p>${t('history.empty')}</p>`
    : html`<ol class="history" aria-label="${t('history.title')}">${entries.map(
        (version, index) => {
          // The newest version is the current state.
          const restored = slice.offset + index > 0 && `${path}/history/${version.id}/restore`
          return renderVersion(frame, version, restored || undefined, user.timeZone)
        },
      )}</ol>`
}
${renderPager({
  newer: number > 1 ? hrefOf(number - 1) : undefined,
  older: slice.offset + PER_PAGE < total ? hrefOf(number + 1) : undefined,
})}`,
      ...(rejection && { status: rejection.status === 400 ? 422 : rejection.status }),
    }
  }
}

/** Renders a version. `action` restores it. */
function renderVersion(
  frame: Frame,
  version: Version,
  action: string | undefined,
  zone: string,
): SafeHtml {
  const { id, at, changes } = version
  const moment = formatMoment(at, zone)
  const title = describeTitle(version, zone)
  return html`<li class="panel" id="version-${id}">
<p class="small soft"><time datetime="${at.toISOString()}">${moment}</time> · <bdi>${describeAuthor(version)}</bdi></p>
${title ? html`<p><strong>${title}</strong></p>` : null}
<ul>${describeChanges(changes, zone).map((change) => html`<li>${change}</li>`)}</ul>
${
  action
    ? renderConfirmedButton(frame, {
        action,
        summary: t('history.restore'),
        subject: moment,
        text: t('history.restoreText'),
        button: t('history.restoreButton'),
        buttonClass: 'button quiet small',
      })
    : null
}
</li>`
}

function describeTitle({ id, restores, restoredAt }: Version, zone: string): string | undefined {
  if (id === CREATION) return t('history.created')
  if (restores === null) return undefined
  return restoredAt
    ? t('history.restored', { date: formatMoment(restoredAt, zone) })
    : t('history.restoredOlder')
}

function describeAuthor({ actor, name }: Version): string {
  if (!actor) return t('history.unknown')
  const surface = t(`history.surfaces.${actor.surface}`)
  const author = describeActor(actor, name)
  return author === undefined ? surface : t('history.by', { name: author, surface })
}

function describeActor({ surface, id }: Actor, name: string | null): string | undefined {
  if (id === null) return undefined
  if (surface === 'console') return name ?? t('history.deleted.user')
  if (surface === 'import') return name ?? t('history.deleted.import')
  return name === null ? t('history.deleted.key') : t('history.key', { name })
}

const fieldsByApiName = new Map(FIELD_NAMES.map((name) => [FIELDS[name].api, name]))

/** Describes the changes of a version, one sentence per field. */
function describeChanges(changes: Changes, zone: string): (SafeHtml | string)[] {
  return Object.entries(changes).map(([name, change]) => describeChange(name, change, zone))
}

function describeChange(name: string, { before, after }: Change, zone: string): SafeHtml | string {
  if (name === FIELDS.password.api) {
    if (after === null) return t('history.password.removed')
    return before === null ? t('history.password.set') : t('history.password.changed')
  }
  const field = getFieldLabel(name)
  // A change of state, such as a link being disabled, has a sentence of its own.
  const state = before === null ? undefined : findText('history.states', `${name}.${after}`)
  if (state !== undefined) return state
  if (typeof after === 'boolean') return t(after ? 'history.on' : 'history.off', { field })
  const from = describeValues(name, before, zone).join(', ')
  const to = describeValues(name, after, zone).join(', ')
  const key = to === '' ? 'history.removed' : from === '' ? 'history.set' : 'history.changed'
  return tHtml(key, { field, before: renderQuoted(from), after: renderQuoted(to) })
}

function renderQuoted(text: string): SafeHtml {
  return html`<bdi class="address">${text}</bdi>`
}

/** Returns the label of a field by its API name. */
export function getFieldLabel(name: string): string {
  const field = fieldsByApiName.get(name) ?? name
  return findText('history.fields', name) ?? findText('linkFields', `${field}.label`) ?? field
}

/** Formats the value of a field by its API name: one text, or the texts of the entries of a list. */
export function describeValues(name: string, value: unknown, zone: string): string[] {
  if (name === FIELDS.split.api) return describeSplit((value ?? []) as readonly Variant[])
  return Array.isArray(value) ? value.map(describeEntry) : [describeSingle(name, value, zone)]
}

/** Formats a value that is not a list, or returns an empty string for an empty value. */
function describeSingle(name: string, value: unknown, zone: string): string {
  if (name === 'domain') return value === null ? t('history.values.ownHost') : String(value)
  if (value === null || value === undefined) return ''
  if (name === FIELDS.type.api) return describeType(String(value))
  if (isTimeField(name)) return formatMoment(new Date(String(value)), zone)
  if (typeof value === 'number') return formatCount(value)
  const hasText = name === 'status' || typeof value === 'boolean'
  return (hasText && findText('history.values', String(value))) || String(value)
}

function isTimeField(name: string): boolean {
  const field = fieldsByApiName.get(name)
  return field !== undefined && FIELDS[field].kind === 'moment'
}

function describeType(type: string): string {
  if (type === 'direct' || type === 'frame' || type === 'splash') return t(`history.values.${type}`)
  const [, overlay] = /^overlay-(\d+)$/.exec(type) ?? []
  return overlay
    ? t('history.values.overlay', { id: overlay })
    : t('history.values.splashPage', { id: type })
}

/** Formats the variants of a split with their shares of the visitors. */
function describeSplit(variants: readonly Variant[]): string[] {
  const total = variants.reduce((sum, { weight }) => sum + weight, 0)
  return variants.map(({ to, weight }) => {
    const share = formatPercent(weight / total)
    return t('history.values.variant', { share, to: to.replace(/^https?:\/\//, '') })
  })
}

/** Formats a rule, a parameter, or the name of a tag or pixel. */
function describeEntry(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return String(entry)
  if ('when' in entry)
    return formatRules([entry as Rule])
      .map(summarizeRule)
      .join()
  if ('name' in entry && 'value' in entry) return `${entry.name}=${entry.value}`
  return JSON.stringify(entry)
}
