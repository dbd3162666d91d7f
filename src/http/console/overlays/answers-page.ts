import { html, type SafeHtml } from '@remix-run/html-template'
import { findText, t, tHtml } from '../../../texts.ts'
import { renderRanking } from '../kit/ranking.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'

/** A response of a visitor: its formatted time and its values by field name. */
export type AnswerView = { id: number; date: string; answer: Readonly<Record<string, string>> }

export type OverlayAnswers = {
  /** The overlay, with the name of its type. */
  overlay: { id: number; name: string; type: string; text: string }
  /** The link type that shows this overlay, such as `overlay-7`. */
  linkType: string
  /** The options of a poll with their votes as `clicks`. Undefined for other types. */
  choices?: readonly { label: string; clicks: number }[] | undefined
  /** Recent responses, newest first. */
  answers: readonly AnswerView[]
  /** Whether visitors can respond to this type of overlay. */
  allowsAnswers: boolean
}

/** Renders an overlay's text and the link type that shows it, with visitors' responses to it. */
export function renderOverlayAnswersPage(frame: Frame, page: OverlayAnswers): string {
  const { overlay, linkType, allowsAnswers } = page
  const section = '/console/overlays'
  return renderConsolePage(frame, {
    title: overlay.name,
    section,
    body: html`<p class="eyebrow"><a href="${section}">${t('overlay.words.many')}</a></p>
<div class="head"><h1><bdi>${overlay.name}</bdi></h1><p class="actions"><a class="button" href="${section}/${overlay.id}/edit">${t('resource.edit')}</a> <a class="button quiet" href="${section}/${overlay.id}/delete">${t('resource.delete')}</a></p></div>
<p class="text soft" dir="auto">${overlay.text}</p>
<p class="small soft">${tHtml('overlay.shownBy', { type: overlay.type, linkType: html`<code>${linkType}</code>` })}</p>
${allowsAnswers ? renderAnswers(page) : null}`,
  })
}

function renderAnswers({ overlay, choices, answers }: OverlayAnswers): SafeHtml {
  const total = (choices ?? []).reduce((sum, { clicks }) => sum + clicks, 0)
  if (answers.length === 0) {
    return html`<section class="panel" aria-label="${t('overlay.responses')}"><p class="soft">${t('overlay.noResponses')}</p></section>`
  }
  return html`${
    choices
      ? html`<section class="panel" aria-labelledby="votes"><h2 id="votes">${t('overlay.voteCount', { n: total })}</h2>
${renderRanking({ labelName: t('overlay.answers.choice'), countName: t('overlay.votes'), ranks: choices, total }, 'votes')}</section>`
      : null
  }
<section class="panel" aria-labelledby="answers">
<div class="head"><h2 id="answers">${t('overlay.latest')}</h2><a class="button quiet small" href="/console/overlays/${overlay.id}/answers.csv" download>${t('overlay.exportCsv')}</a></div>
${renderAnswerTable(answers)}
</section>`
}

function renderAnswerTable(answers: readonly AnswerView[]): SafeHtml {
  const fields = [...new Set(answers.flatMap(({ answer }) => Object.keys(answer)))]
  const headings = fields.map((name) => findText('overlay.answers', name) ?? name)
  return html`<table class="cards">
<thead><tr><th scope="col">${t('overlay.when')}</th>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${answers.map(
    ({ date, answer }) =>
      html`<tr><th scope="row">${date}</th>${fields.map((name, index) => html`<td class="text" dir="auto" data-label="${headings[index]}">${answer[name] ?? ''}</td>`)}</tr>`,
  )}</tbody>
</table>`
}
