import { html, type SafeHtml } from '@remix-run/html-template'
import {
  dayOf,
  type NotCounted,
  OTHER_LABEL,
  UNCOUNTED_KINDS,
  type UncountedName,
} from '../../../clicks/read.ts'
import { t } from '../../../texts.ts'
import { renderTable } from '../kit/table.ts'
import { formatCount } from '../shell/format.ts'
import { formatDayLabel } from './format.ts'
import type { PageState } from './state.ts'
import type { PageStatistics } from './statistics.ts'

/**
 * Renders how many visits do not count as clicks, which opens to the names of robots and to days. Public
 * pages do not show them, and filters do not apply to them.
 */
export function renderNotCounted(
  { reader, buildHref }: PageState,
  { notCounted }: PageStatistics,
): SafeHtml | null {
  if (!notCounted || notCounted.visits === 0 || reader.isShared) return null
  const { names, days, visits } = notCounted
  const title = t('notCounted.total', { n: visits, kinds: describeKinds(notCounted) })
  const total = { head: t('notCounted.visits'), isNumber: true }
  const nameTable = renderTable(
    names,
    [
      { head: t('notCounted.name'), cell: renderName },
      { head: t('notCounted.kind'), cell: ({ kind }) => t(`notCounted.kinds.${kind}`) },
      { ...total, cell: (row) => formatCount(row.visits) },
    ],
    { label: t('notCounted.names') },
  )
  const dayTable = renderTable(
    days.toReversed(),
    [
      { head: t('notCounted.day'), cell: ({ day }) => formatDayLabel(dayOf(new Date(day))) },
      ...listKinds(notCounted).map((kind) => ({
        head: t(`notCounted.counts.${kind}.name`),
        cell: (row: NotCounted['days'][number]) => formatCount(row[kind]),
        isNumber: true,
      })),
      { ...total, cell: (row) => formatCount(row.visits) },
    ],
    { label: t('notCounted.days') },
  )
  return html`<details id="not-counted" class="small soft"><summary>${title}</summary>
<p>${t('notCounted.note')} <a href="${buildHref({}, '/not-counted.csv')}" download>${t('notCounted.csv')}</a> <a href="/console/robots">${t('notCounted.add')}</a></p>
${[nameTable, dayTable].map(
  (table, index) =>
    html`<div class="numbers" tabindex="0" role="group" aria-label="${index === 0 ? t('notCounted.names') : t('notCounted.days')}">${table}</div>`,
)}</details>`
}

/** Returns the visits that do not count as rows of a file, one for each day and name. */
export function listNotCountedRows({ notCounted }: PageStatistics) {
  return (notCounted?.days ?? []).flatMap(({ day, names }) =>
    names.map(({ kind, name, visits }) => ({ day, kind, name, visits })),
  )
}

function renderName({ name }: UncountedName): SafeHtml {
  return html`<bdi>${name === OTHER_LABEL ? t('breakdowns.other') : name}</bdi>`
}

/** Returns the kinds that have visits. */
function listKinds(notCounted: NotCounted) {
  return UNCOUNTED_KINDS.filter((kind) => notCounted[kind] > 0)
}

function describeKinds(notCounted: NotCounted): string {
  return listKinds(notCounted)
    .map((kind) => t(`notCounted.counts.${kind}.text`, { n: notCounted[kind] }))
    .join(', ')
}
