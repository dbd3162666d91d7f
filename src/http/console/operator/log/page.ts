import { html, type SafeHtml } from '@remix-run/html-template'
import { shortLinkText } from '../../../../pages/short-link-text.ts'
import type { Frame } from '../../shell/layout.ts'
import { renderPager } from '../../shell/pager.ts'
import { renderOperatorPage } from '../layout.ts'
import { operatorMessages as common } from '../messages.ts'
import { logMessages as messages } from './messages.ts'

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
    title: messages.title,
    currentSection: PATH,
    body: html`<div class="headline">
<h1>${messages.title}</h1>
<a class="button quiet small" href="${csvPath}" download>${messages.download}</a>
</div>
<p class="soft">${messages.intro}</p>
<form class="finder" method="get" action="${PATH}" role="search">
<div class="field"><label for="subject">${messages.subject}</label><input type="search" id="subject" name="subject" value="${form.subject}" maxlength="2000" autocomplete="off" placeholder="${messages.subjectPlaceholder}"></div>
<div class="field"><label for="actor">${messages.actor}</label><input type="search" id="actor" name="actor" value="${form.actor}" maxlength="254" autocomplete="off" placeholder="${messages.actorPlaceholder}"></div>
<div class="field"><label for="action">${messages.action}</label><select id="action" name="action"><option value="">${common.any}</option>${actions.map(({ name, text }) => html`<option value="${name}"${name === form.action ? html` selected` : null}>${text}</option>`)}</select></div>
<div class="finder-buttons"><button class="button quiet">${common.search}</button>${isFiltered ? html`<a class="reset" href="${PATH}">${common.clear}</a>` : null}</div>
</form>
${lines.length > 0 ? html`<section class="panel" aria-label="${messages.log}">${renderLogTable(lines)}</section>` : renderEmptyState(isFiltered)}
${renderPager({ newer, older })}`,
  })
}

/** Renders lines of the log as a table. */
export function renderLogTable(lines: readonly LineView[]): SafeHtml {
  return html`<table class="cards log">
<thead><tr><th scope="col">${messages.when}</th><th scope="col">${messages.who}</th><th scope="col">${messages.what}</th></tr></thead>
<tbody>${lines.map(
    ({ at, actor, action, subject, detail }) => html`<tr>
<td data-label="${messages.when}">${at}</td>
<td data-label="${messages.who}">${actor}</td>
<td>${action} <bdi class="subject">${shortLinkText(subject)}</bdi>${detail === null ? null : html`<span class="small soft under" dir="auto">${detail}</span>`}</td>
</tr>`,
  )}</tbody>
</table>`
}

function renderEmptyState(isFiltered: boolean): SafeHtml {
  return isFiltered
    ? html`<section class="panel blank"><h2>${common.noMatches}</h2>
<p class="soft">${messages.noMatches}</p>
<p><a class="button quiet" href="${PATH}">${common.clear}</a></p></section>`
    : html`<section class="panel blank"><h2>${common.noActivity}</h2>
<p class="soft">${messages.empty}</p></section>`
}
