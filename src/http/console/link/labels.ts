import { html } from '@remix-run/html-template'
import { consolePage, type Frame } from '../shell/layout.ts'
import type { Section } from '../shell/navigation.ts'
import { type Ranking, rankingTable } from './ranking.ts'

export type LabelsPage = {
  /** Where in the menu one is. */
  section: Section
  /** A short URL, or the name of a group. */
  name: string
  /** The days that are counted, in words. */
  span: string
  /** Back to where one came from, and to the same as CSV. */
  back: { href: string; label: string }
  csv: string
  ranking: Omit<Ranking, 'href'>
  /** So many are shown at most. */
  limit: number
}

/** All countries, referrers and so on of a link, or of several, within a period. */
export function labelsPage(frame: Frame, page: LabelsPage): string {
  const { section, name, span, back, csv, ranking, limit } = page
  return consolePage(frame, {
    title: `${ranking.title} – ${name}`,
    section,
    files: ['link.css'],
    body: html`<p class="small back"><a href="${back.href}">${back.label}</a></p>
<h1 id="${ranking.name}">${ranking.title}</h1>
<p class="soft"><bdi class="address">${name}</bdi>, ${span} (UTC)</p>
<div class="panel">
${
  ranking.ranks.length === 0
    ? html`<p class="soft">No clicks in this period.</p>`
    : html`${rankingTable(ranking)}
<p class="small soft">${ranking.ranks.length > limit ? `Showing the top ${limit}; the rest are grouped as Other. ` : ''}<a href="${csv}" download>Download as CSV</a></p>`
}
</div>`,
  })
}
