import { html, type SafeHtml } from '@remix-run/html-template'
import { changeText } from '../shell/change.ts'
import { formatCount } from '../shell/format-count.ts'

export type Compared = { total: number; before: number | undefined }

export type Figures = {
  clicks: Compared
  newVisitors: Compared
  /** All-time clicks, and when the last of them was. */
  allClicks: number
  lastClick: string | undefined
}

/** The numbers that one looks at first. */
export function figures({ clicks, newVisitors, allClicks, lastClick }: Figures): SafeHtml {
  return html`<dl class="figures">
${figure('Clicks', clicks)}
${figure('New visitors', newVisitors)}
${allTime({ allClicks, lastClick })}
</dl>`
}

/** The numbers that are left while nothing is known of any period. */
export function allTimeFigures(known: Pick<Figures, 'allClicks' | 'lastClick'>): SafeHtml {
  return html`<dl class="figures">${allTime(known)}</dl>`
}

function allTime({ allClicks, lastClick }: Pick<Figures, 'allClicks' | 'lastClick'>): SafeHtml {
  return html`<div><dt>All-time clicks</dt><dd class="figure">${formatCount(allClicks)}</dd></div>
<div><dt>Last click</dt><dd class="figure when">${lastClick ?? '–'}</dd></div>`
}

function figure(name: string, { total, before }: Compared): SafeHtml {
  return html`<div><dt>${name}</dt><dd class="figure">${formatCount(total)}</dd>${
    before === undefined
      ? null
      : html`<dd class="small soft">${changeText({ total, before }, 'previous period')}</dd>`
  }</div>`
}
