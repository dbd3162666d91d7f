import { html, type SafeHtml } from '@remix-run/html-template'
import type { FastifyRequest } from 'fastify'
import type { HttpContext } from '../../../context.ts'
import { AppError } from '../../../errors.ts'
import {
  addToCampaign,
  type BulkChange,
  removeFromCampaign,
  setArchived,
  setExpirations,
  setLinkStatuses,
  tagLinks,
  untagLinks,
} from '../../../links/bulk-links.service.ts'
import type { LinkEntry } from '../../../links/link.ts'
import { deleteLinks, restoreLinks } from '../../../links/trash.service.ts'
import { recordUndo, type UndoAction } from '../../../links/undo.service.ts'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import type { Scope } from '../../../scope.ts'
import { type TextsIn, t, tAll } from '../../../texts.ts'
import type { Format } from '../../../transfer/export.service.ts'
import { renderControl, renderHidden, renderNoteAttributes } from '../kit/fields.ts'
import { type NamedLink, renderLinkName } from '../kit/link-name.ts'
import { renderMoreMenu } from '../kit/menu.ts'
import {
  renderDecision,
  renderDecisionForm,
  renderForm,
  renderLink,
  renderUntitledPanel,
} from '../kit/parts.ts'
import type { Page } from '../kit/subject.ts'
import type { Frame } from '../shell/layout.ts'
import { buildUrl, CHANGE, type FilterChoices, PATH, type View } from './view.ts'

export type ActionName = UndoAction | 'expire'

/** The links of one batch, as the services take them. */
type Batch = [scope: Scope<HttpContext>, ids: readonly number[]]

/**
 * The name of the outcome message, the action that undoes this one, and the change. `value` is the
 * tag, the campaign's id or the day. The change skips `blocked` links, which an admin disabled.
 */
type Action = [
  done: TextsIn<'links.outcomes'>,
  opposite: UndoAction | undefined,
  change: (links: Batch, value: string) => Promise<BulkChange & { blocked?: number }>,
]

const actions: Record<ActionName, Action> = {
  tag: ['tagged', 'untag', (links, tag) => tagLinks(...links, [requireTag(tag)])],
  untag: ['untagged', 'tag', (links, tag) => untagLinks(...links, [requireTag(tag)])],
  disable: ['disabled', 'enable', (links) => setLinkStatuses(...links, 'disabled')],
  enable: ['enabled', 'disable', (links) => setLinkStatuses(...links, 'active')],
  archive: ['archived', 'unarchive', (links) => setArchived(...links, true)],
  unarchive: ['unarchived', 'archive', (links) => setArchived(...links, false)],
  delete: ['deleted', 'restore', (links) => deleteLinks(...links)],
  restore: ['restored', 'delete', restore],
  campaign: ['campaigned', 'uncampaign', (links, id) => addToCampaign(...links, requireId(id))],
  uncampaign: [
    'uncampaigned',
    'campaign',
    (links, id) => removeFromCampaign(...links, requireId(id)),
  ],
  expire: ['expiring', undefined, (links, day) => setExpirations(...links, day)],
}

/** The fields of the form with the values of actions. Other actions need none. */
const valueFields: Partial<Record<ActionName, 'tag' | 'campaign' | 'expires'>> = {
  tag: 'tag',
  untag: 'tag',
  campaign: 'campaign',
  uncampaign: 'campaign',
  expire: 'expires',
}

/** The number of links changed in one transaction. */
const BATCH_SIZE = 1000

async function restore(links: Batch): Promise<BulkChange> {
  const changed = await restoreLinks(...links)
  return { count: changed.length, changed }
}

/**
 * Changes links in batches, each in its own transaction. Records the change for undoing it, if links
 * were changed and the action can be undone, and returns the id of that record as `undo`.
 */
export async function changeLinks(
  request: FastifyRequest,
  { action, ids, value = '' }: { action: ActionName; ids: readonly number[]; value?: string },
) {
  const [done, opposite, change] = actions[action]
  const outcome = { done, count: 0, blocked: 0 }
  let found = 0
  const changed: number[] = []
  for (let start = 0; start < ids.length; start += BATCH_SIZE) {
    const batch = ids.slice(start, start + BATCH_SIZE)
    const result = await change([request.scope, batch], value)
    // Links that are deleted under review cannot be restored, so they are not among the changed.
    outcome.count += action === 'delete' ? result.count : result.changed.length
    found += result.count + (result.blocked ?? 0)
    outcome.blocked += result.blocked ?? 0
    for (const id of result.changed) changed.push(id)
  }
  const isUndoable = opposite !== undefined && changed.length > 0
  const undo = isUndoable
    ? await recordUndo(request.scope, { action: opposite, value, ids: changed })
    : undefined
  return { outcome, undo, found }
}

/**
 * Returns the action that a form names, with its value.
 *
 * @throws AppError `malformed_request` if there is no such action
 */
export function readAction(form: Record<'action' | 'tag' | 'campaign' | 'expires', string>) {
  const action = (Object.keys(actions) as ActionName[]).find((each) => each === form.action)
  if (!action) throw new AppError('malformed_request')
  const field = valueFields[action]
  return { action, value: field === undefined ? '' : form[field] }
}

/** Returns a tag unless it is blank. @throws AppError `invalid_input` naming `tag` */
function requireTag(tag: string): string {
  if (tag.trim() === '')
    throw new AppError('invalid_input', { field: 'tag', text: 'links.tagMissing' })
  return tag
}

/** Returns the id of the selected campaign. @throws AppError `invalid_input` naming `campaign` */
function requireId(campaign: string): number {
  if (!/^[1-9]\d{0,14}$/.test(campaign))
    throw new AppError('invalid_input', { field: 'campaign', text: 'links.campaignMissing' })
  return Number(campaign)
}

/**
 * The outcome of a change: the name of its message, the number of changed links, and the number of
 * links skipped because an admin disabled them.
 */
type Outcome = { done: Action[0]; count: number; blocked: number }

/** Returns the query parameter that passes the outcome of a change to the list. */
export function formatOutcome({ done, count, blocked }: Outcome): { done: string } {
  return { done: `${done}.${count}${blocked > 0 ? `.${blocked}` : ''}` }
}

/** Returns the message for the query parameter of an outcome, or undefined if it is invalid. */
export function describeOutcome(text: string): string | undefined {
  const parts = /^([a-z]+)\.(\d{1,6})(?:\.(\d{1,6}))?$/.exec(text)
  const names = Object.keys(tAll('links.outcomes')) as Outcome['done'][]
  const done = names.find((each) => each === parts?.[1])
  if (!parts || !done) return undefined
  const blocked = Number(parts[3] ?? 0)
  const changed = t(`links.outcomes.${done}`, { n: Number(parts[2]) })
  return blocked > 0 ? `${changed} ${t('links.skipped', { n: blocked })}` : changed
}

/** Renders the actions on selected links. */
export function renderActions(view: View, { tags, campaigns }: FilterChoices): SafeHtml {
  const isArchive = view.status === 'archived'
  const button = (name: ActionName | Format, text: string) => renderDecision(['action', name], text)
  const names = campaigns.map(({ id, name }) => ({ value: String(id), label: name }))
  const hint = t('links.expiresHint')
  return html`${renderHidden({ back: buildUrl(view) })}
<div class="bulk-tag"><label for="change-tag" class="hidden-text">${t('links.tag')}</label>
${renderControl({
  type: 'text',
  name: 'tag',
  id: 'change-tag',
  value: '',
  attributes: html` maxlength="50" autocomplete="off" dir="auto" placeholder="${t('links.tag')}" list="tag-names"`,
})}
<datalist id="tag-names">${tags.map((tag) => html`<option value="${tag}"></option>`)}</datalist>
${button('tag', t('links.addTag'))}
${button('untag', t('links.removeTag'))}</div>
<div class="bulk-buttons">${button('disable', t('links.disable'))}
${button('enable', t('links.enable'))}
${isArchive ? button('unarchive', t('links.unarchive')) : button('archive', t('links.archive'))}
${renderDecision(['action', 'delete'], t('links.delete'), { className: 'button danger small' })}</div>
<details class="bulk-more"><summary>${t('links.moreActions')}</summary>
${
  names.length > 0
    ? html`<div class="bulk-part"><label for="change-campaign">${t('links.campaign')}</label>
${renderControl({
  type: 'select',
  name: 'campaign',
  id: 'change-campaign',
  value: '',
  choices: [{ value: '', label: '' }, ...names],
})}
${button('campaign', t('links.addToCampaign'))}
${button('uncampaign', t('links.removeFromCampaign'))}</div>`
    : null
}
<div class="bulk-part"><label for="change-expires">${t('links.expiresOn')}</label>
${renderControl({
  type: 'date',
  name: 'expires',
  id: 'change-expires',
  value: '',
  attributes: renderNoteAttributes('change-expires', { hint }),
})}
${button('expire', t('links.setExpiration'))}
<span class="small soft" id="change-expires-hint">${hint}</span></div>
<div class="bulk-part">${button('csv', t('links.exportCsv'))}
${button('jsonl', t('links.exportJsonl'))}</div>
</details>`
}

/** Renders the menu of one link of the list. `back` is the URL of the list. */
export function renderMenu(frame: Frame, link: LinkEntry, back: string): SafeHtml {
  const { id, shortUrl, block, status, archivedAt } = link
  const path = `${PATH}/${id}`
  const button = (name: ActionName, text: string) =>
    renderDecision(['action', name], text, { className: '' })
  const enable = button('enable', t('links.enable'))
  const disable = button('disable', t('links.disable'))
  const name = t('links.actionsFor', { link: shortLinkText(shortUrl) })
  return renderMoreMenu(
    name,
    html`<a href="${path}">${t('links.statistics')}</a>
${frame.may('GET', `${path}/edit`) ? html`<a href="${path}/edit${back === PATH ? null : `?${new URLSearchParams({ back })}`}" data-do="edit">${t('links.edit')}</a>` : null}
<a href="${path}#code" data-do="code">${t('links.code')}</a>
${renderLink(frame, `${PATH}/new?from=${id}`, t('links.duplicate'))}
${renderForm(frame, CHANGE, [
  ...renderHidden({ id: String(id), back }),
  block ? null : status === 'disabled' ? enable : disable,
  archivedAt ? button('unarchive', t('links.unarchive')) : button('archive', t('links.archive')),
  button('delete', t('links.delete')),
])}`,
  )
}

type Deletion = {
  /** The number of links to delete. If there are many, only the first ones are named. */
  count: number
  /** Whether the form deletes all results of the list, instead of the named links. */
  areAllResults: boolean
  /** The URL of the list in which the links were selected. */
  back: string
}

/** Asks whether to delete links. `ask.js` shows it as a dialog. */
export function renderDeletion(
  links: readonly (NamedLink & { id: number; clicks: number })[],
  { count, areAllResults, back }: Deletion,
): Page {
  const title = t('links.deleteTitle', { n: count })
  const ids = links.map(({ id }) => String(id))
  const chosen: Record<string, string | string[]> = areAllResults
    ? { all: 'yes', count: String(count) }
    : { id: ids }
  const buttons = [
    html`<button class="button danger">${t('links.deleteButton', { n: count })}</button>`,
    html`<a class="button quiet" href="${back}" data-keep>${t('links.cancel')}</a>`,
  ]
  return {
    title,
    body: (frame) => html`<div data-ask><h1>${title}</h1>
<p class="lead">${t('links.deleteText', { n: count })}</p>
${renderUntitledPanel(
  t('links.linksToDelete'),
  html`<ul class="plain">${links.map(
    (link) =>
      html`<li>${renderLinkName(link, { beside: html`<span class="small soft">${t('links.clicks', { n: link.clicks })}</span>` })}</li>`,
  )}${count > links.length ? html`<li>…</li>` : null}</ul>`,
)}
${renderDecisionForm(frame, CHANGE, buttons, { action: 'delete', sure: 'yes', back, ...chosen })}</div>`,
  }
}
