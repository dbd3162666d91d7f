import { html } from '@remix-run/html-template'
import { consolePage, type Frame } from './frame.ts'
import { type Ranking, rankingTable } from './link-ranking.ts'

export type LabelsPage = {
  shortUrl: string
  /** The days that are counted, in words. */
  span: string
  /** Back to the link, and to the same as CSV. */
  back: string
  csv: string
  ranking: Omit<Ranking, 'href'>
  /** So many are shown at most. */
  limit: number
}

/** All countries, referrers and so on of one link within a period. */
export function labelsPage(frame: Frame, page: LabelsPage): string {
  const { shortUrl, span, back, csv, ranking, limit } = page
  return consolePage(frame, {
    title: `${ranking.title} – ${shortUrl}`,
    place: '/console/links',
    files: ['link.css'],
    body: html`<p class="small back"><a href="${back}">Back to the link</a></p>
<h1 id="${ranking.name}">${ranking.title}</h1>
<p class="soft"><span class="address">${shortUrl}</span>, ${span} (UTC)</p>
<div class="panel">
${
  ranking.ranks.length === 0
    ? html`<p class="soft">Nobody clicked this link in this period.</p>`
    : html`${rankingTable(ranking)}
<p class="small soft">${ranking.ranks.length > limit ? `The first ${limit} are shown; the rest is counted as Other. ` : ''}<a href="${csv}" download>Download as CSV</a></p>`
}
</div>`,
  })
}
