import { stringify } from 'csv-stringify/sync'
import type { FastifyReply } from 'fastify'
import { shortLinkText } from '../../../pages/short-link-text.ts'
import { findCountryCode } from '../../../visitors/country-names.ts'
import { noSniffHeader } from '../../no-sniffing.ts'
import type { ListName } from './cards.ts'
import { selectLabels } from './lists.ts'
import type { PageStatistics } from './read.ts'

type Row = Readonly<Record<string, string | number | undefined>>

/** Returns the steps of a period as rows, with those of the compared period. */
export function listTimelineRows({ timeline, comparison }: PageStatistics): Row[] {
  return timeline.map(({ start, clicks, newVisitors, comparison: comparisonStep }) => ({
    start,
    clicks,
    newVisitors,
    ...(comparison && {
      comparisonStart: comparisonStep?.start ?? '',
      comparisonClicks: comparisonStep?.clicks ?? '',
      comparisonNewVisitors: comparisonStep?.newVisitors ?? '',
    }),
  }))
}

/** Returns a list as rows. Countries include their codes. */
export function listRows(list: ListName | 'links', statistics: PageStatistics): Row[] {
  if (list === 'links') {
    return statistics.links.flatMap(({ linkId, ...counts }) => {
      const name = statistics.linkNames.get(linkId)
      return name ? [{ id: linkId, link: shortLinkText(name.shortUrl), ...counts }] : []
    })
  }
  const labels = selectLabels(list, statistics)
  if (list !== 'countries') return [...labels]
  return labels.map(({ label, ...counts }) => ({
    label,
    code: findCountryCode(label) ?? '',
    ...counts,
  }))
}

/**
 * Sends rows as a file. Escapes labels, which visitors can choose, so that spreadsheets do not run
 * them as formulas.
 */
export function sendCsv(reply: FastifyReply, name: string, rows: readonly Row[]): FastifyReply {
  return reply
    .type('text/csv; charset=utf-8')
    .headers({
      'content-disposition': `attachment; filename="${name}.csv"`,
      'cache-control': 'private, no-store',
      ...noSniffHeader,
    })
    .send(stringify([...rows], { header: true, bom: true, escape_formulas: true }))
}
