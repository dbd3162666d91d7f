import { html, type SafeHtml } from '@remix-run/html-template'
import { rankingTable } from '../analytics/ranking.ts'
import { formatCount } from '../shell/format-count.ts'
import { consolePage, type Frame } from '../shell/layout.ts'

export type ShownAnswer = { id: number; date: string; answer: Readonly<Record<string, string>> }

export type OverlayAnswers = {
  overlay: { id: number; name: string; type: string; text: string }
  /** The link type that shows this overlay. */
  linkType: string
  /** The options of a poll with their votes. Undefined for other types. */
  choices?: readonly { label: string; clicks: number }[] | undefined
  /** Recent responses, newest first. */
  answers: readonly ShownAnswer[]
  /** Whether visitors can respond. */
  asks: boolean
}

const HEADINGS: Readonly<Record<string, string>> = {
  choice: 'Choice',
  email: 'Email',
  name: 'Name',
  message: 'Message',
}

/** Renders an overlay with visitors' responses. */
export function overlayAnswersPage(frame: Frame, page: OverlayAnswers): string {
  const { overlay, linkType, asks } = page
  const section = '/console/overlays'
  return consolePage(frame, {
    title: overlay.name,
    section,
    files: ['link.css'],
    body: html`<p class="eyebrow"><a href="${section}">Overlays</a></p>
<div class="head"><h1><bdi>${overlay.name}</bdi></h1><p class="actions"><a class="button" href="${section}/${overlay.id}/edit">Edit</a> <a class="button quiet" href="${section}/${overlay.id}/delete">Delete</a></p></div>
<p class="text soft" dir="auto">${overlay.text}</p>
<p class="small soft">${overlay.type}. Links show it with the type <code>${linkType}</code>.</p>
${asks ? answers(page) : null}`,
  })
}

function answers({ overlay, choices, answers }: OverlayAnswers): SafeHtml {
  const total = (choices ?? []).reduce((sum, { clicks }) => sum + clicks, 0)
  if (answers.length === 0) {
    return html`<section class="panel" aria-label="Responses"><p class="soft">No responses yet.</p></section>`
  }
  return html`${
    choices
      ? html`<section class="panel" aria-labelledby="votes"><h2 id="votes">${total === 1 ? '1 vote' : `${formatCount(total)} votes`}</h2>
${rankingTable({ one: 'Choice', counted: 'Votes', ranks: choices, total }, 'votes')}</section>`
      : null
  }
<section class="panel" aria-labelledby="answers">
<div class="head"><h2 id="answers">Latest responses</h2><a class="button quiet small" href="/console/overlays/${overlay.id}/answers.csv" download>Export CSV</a></div>
${answerTable(answers)}
</section>`
}

function answerTable(answers: readonly ShownAnswer[]): SafeHtml {
  const fields = [...new Set(answers.flatMap(({ answer }) => Object.keys(answer)))]
  const headings = fields.map((name) => HEADINGS[name] ?? name)
  return html`<table class="cards">
<thead><tr><th scope="col">When</th>${headings.map((heading) => html`<th scope="col">${heading}</th>`)}</tr></thead>
<tbody>${answers.map(
    ({ date, answer }) =>
      html`<tr><th scope="row">${date}</th>${fields.map((name, index) => html`<td class="text" dir="auto" data-label="${headings[index]}">${answer[name] ?? ''}</td>`)}</tr>`,
  )}</tbody>
</table>`
}
