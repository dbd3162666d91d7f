import { html, type SafeHtml } from '@remix-run/html-template'
import { shortLinkText } from '../../../../pages/short-link-text.ts'
import { t } from '../../../../texts.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderPager } from '../../shell/pager.ts'
import { renderOperatorPage } from '../layout.ts'

export type LineView = {
  at: string
  actor: string
  /** The action, as text that follows the actor. */
  action: string
  subject: string
  detail: string | null
}

export type LogPage = {
  lines: readonly LineView[]
  form: { actor: string; action: string; subject: string }
  actions: readonly { name: string; text: string }[]
  csvPath: string
  /** The paths of the adjacent pages. */
  newer: string | undefined
  older: string | undefined
}

const PATH = '/console/operator/log'

/** Renders the admin log, newest first. */
export function renderLogPage(
  frame: Frame,
  { lines, form, actions, csvPath, newer, older }: LogPage,
) {
  const isFiltered = Object.values(form).some((value) => value !== '')
  return renderOperatorPage(frame, {
    title: t('admin.log.title'),
    currentSection: PATH,
    body: html`<div class="headline">
<h1>${t('admin.log.title')}</h1>
<a class="button quiet small" href="${csvPath}" download>${t('admin.log.download')}</a>
</div>
<p class="soft">${t('admin.log.intro')}</p>
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="subject">${t('admin.log.subject')}</label><input type="search" id="subject" name="subject" value="${form.subject}" maxlength="2000" autocomplete="off" placeholder="${t('admin.log.subjectPlaceholder')}"></div>
<div class="field"><label for="actor">${t('admin.log.actor')}</label><input type="search" id="actor" name="actor" value="${form.actor}" maxlength="254" autocomplete="off" placeholder="${t('admin.log.actorPlaceholder')}"></div>
<div class="field"><label for="action">${t('admin.log.action')}</label><select id="action" name="action"><option value="">${t('admin.any')}</option>${actions.map(({ name, text }) => html`<option value="${name}"${name === form.action ? html` selected` : null}>${text}</option>`)}</select></div>
<div class="finder-buttons"><button class="button quiet">${t('admin.search')}</button>${isFiltered ? html`<a class="reset" href="${PATH}">${t('admin.clear')}</a>` : null}</div>
</form>
${lines.length > 0 ? html`<section class="panel" aria-label="${t('admin.log.log')}">${renderLogTable(lines)}</section>` : renderEmptyState(isFiltered)}
${renderPager({ newer, older })}`,
  })
}

/** Renders lines of the log as a table. */
export function renderLogTable(lines: readonly LineView[]): SafeHtml {
  return html`<table class="cards log">
<thead><tr><th scope="col">${t('admin.log.when')}</th><th scope="col">${t('admin.log.who')}</th><th scope="col">${t('admin.log.what')}</th></tr></thead>
<tbody>${lines.map(
    ({ at, actor, action, subject, detail }) => html`<tr>
<td data-label="${t('admin.log.when')}">${at}</td>
<td data-label="${t('admin.log.who')}">${actor}</td>
<td>${action} <bdi class="subject">${shortLinkText(subject)}</bdi>${detail === null ? null : html`<span class="small soft under" dir="auto">${detail}</span>`}</td>
</tr>`,
  )}</tbody>
</table>`
}

function renderEmptyState(isFiltered: boolean): SafeHtml {
  return isFiltered
    ? html`<section class="panel blank"><h2>${t('admin.noMatches')}</h2>
<p class="soft">${t('admin.log.noMatches')}</p>
<p><a class="button quiet" href="${PATH}">${t('admin.clear')}</a></p></section>`
    : html`<section class="panel blank"><h2>${t('admin.noActivity')}</h2>
<p class="soft">${t('admin.log.empty')}</p></section>`
}
