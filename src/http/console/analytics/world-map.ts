import { readFileSync } from 'node:fs'
import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'
import { findCountryCode } from '../../../visitors/country-names.ts'
import type { Rank } from '../kit/ranking.ts'

type WorldMap = {
  width: number
  height: number
  /** The outlines of countries as SVG paths, by ISO 3166-1 alpha-2 code. */
  shapes: Record<string, string>
  /** The positions of countries too small for an outline. */
  dots: Record<string, [x: number, y: number]>
}

const LEVELS = 5
const mapFile = new URL('./world-map.json', import.meta.url)
const world = JSON.parse(readFileSync(mapFile, 'utf8')) as WorldMap
const shapes = Object.entries(world.shapes)
const dots = Object.entries(world.dots)

/**
 * Renders the countries of the world, darker with more clicks. The ranking of countries has the same
 * numbers and links, so the map is only for pointers.
 */
export function renderWorldMap(ranks: readonly Rank[]): SafeHtml {
  const byCode = new Map(ranks.map((rank) => [findCountryCode(rank.label) ?? '', rank]))
  const maxClicks = Math.max(1, ...ranks.map(({ clicks }) => clicks))
  const renderClicked = (code: string, shape: (level: number) => SafeHtml) => {
    const rank = byCode.get(code)
    if (!rank || rank.clicks === 0) return null
    const text = `${rank.text ?? rank.label}: ${t('analytics.clicks', { n: rank.clicks })}`
    const content = html`<title>${text}</title>${shape(computeLevel(rank.clicks, maxClicks))}`
    return rank.href
      ? html`<a href="${rank.href}" tabindex="-1">${content}</a>`
      : html`<g>${content}</g>`
  }
  const unclickedPaths = shapes.flatMap(([code, path]) => (byCode.get(code)?.clicks ? [] : path))
  return html`<svg class="map" viewBox="0 0 ${world.width} ${world.height}" aria-hidden="true">
<path class="land" d="${unclickedPaths.join('')}"/>
${shapes.map(([code, path]) => renderClicked(code, (level) => html`<path class="level" fill-opacity="${level / LEVELS}" d="${path}"/>`))}
${dots.map(([code, [x, y]]) => renderClicked(code, (level) => html`<circle class="level" fill-opacity="${level / LEVELS}" cx="${x}" cy="${y}" r="4"/>`))}
</svg>
<p class="map-legend small soft">${t('breakdowns.mapLegend')} <svg width="80" height="12" aria-hidden="true">${Array.from({ length: LEVELS }, (_, index) => html`<rect class="level" fill-opacity="${(index + 1) / LEVELS}" x="${index * 16}" width="15" height="12"/>`)}</svg> <span>${t('breakdowns.mapCredit')}</span></p>`
}

/** Returns the shade of a country, logarithmically, because one may have nearly all clicks. */
function computeLevel(clicks: number, maxClicks: number): number {
  return Math.max(1, Math.ceil((LEVELS * Math.log1p(clicks)) / Math.log1p(maxClicks)))
}
