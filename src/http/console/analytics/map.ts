import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { findCountryCode } from '../../../visitors/country-names.ts'
import type { Rank } from './ranking.ts'
import { DOTS, HEIGHT, SHAPES, WIDTH } from './world-shapes.ts'

const LEVELS = 5
const shapes = parseRows(SHAPES).map((row) => [row.slice(0, 2), row.slice(3)] as const)
const dots = parseRows(DOTS).map((row) => row.split(' ') as [code: string, x: string, y: string])

/**
 * Renders the countries of the world, darker with more clicks. The list of countries has the same
 * numbers and links, so the map is only for pointers.
 */
export function renderWorldMap(ranks: readonly Rank[]): SafeHtml {
  const byCode = new Map(
    ranks.flatMap((rank) => [[findCountryCode(rank.label) ?? '', rank] as const]),
  )
  const maxClicks = Math.max(1, ...ranks.map(({ clicks }) => clicks))
  const renderClickedCountry = (code: string, shape: (level: number) => SafeHtml) => {
    const rank = byCode.get(code)
    if (!rank || rank.clicks === 0) return null
    const text = `${rank.text ?? rank.label}: ${t('analytics.clicks', { n: rank.clicks })}`
    const content = html`<title>${text}</title>${shape(computeLevel(rank.clicks, maxClicks))}`
    return rank.href
      ? html`<a href="${rank.href}" tabindex="-1">${content}</a>`
      : html`<g>${content}</g>`
  }
  const unclickedPaths = shapes.flatMap(([code, path]) => (byCode.get(code)?.clicks ? [] : path))
  return html`<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" aria-hidden="true">
<path class="land" d="${unclickedPaths.join('')}"/>
${shapes.map(([code, path]) => renderClickedCountry(code, (level) => html`<path class="level-${level}" d="${path}"/>`))}
${dots.map(([code, x, y]) => renderClickedCountry(code, (level) => html`<circle class="level-${level}" cx="${x}" cy="${y}" r="4"/>`))}
</svg>
<p class="map-legend small soft">${t('breakdowns.mapLegend')} <svg width="80" height="12" aria-hidden="true">${Array.from({ length: LEVELS }, (_, index) => html`<rect class="level-${index + 1}" x="${index * 16}" width="15" height="12"/>`)}</svg> <span>${t('breakdowns.mapCredit')}</span></p>`
}

/**
 * Returns the shade of a country from 1 to 5, logarithmically, because one country may have nearly
 * all clicks.
 */
function computeLevel(clicks: number, maxClicks: number): number {
  return Math.max(1, Math.ceil((LEVELS * Math.log1p(clicks)) / Math.log1p(maxClicks)))
}

function parseRows(text: string): string[] {
  return text.trim().split('\n')
}
