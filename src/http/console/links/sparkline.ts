import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/** The size of the view box of a sparkline. */
const WIDTH = 90
const HEIGHT = 24

/** The number of daily clicks that fills the height of a line, unless a day has more. */
const MIN_SCALE = 5

/**
 * Renders clicks per day as a small line without axes. Each has a scale of its own, so that the trend
 * of a link shows beside one with a thousand times the clicks.
 */
export function renderSparkline(dailyClicks: readonly number[] | undefined): SafeHtml {
  if (!dailyClicks) return html`<span class="small soft">${t('links.unavailable')}</span>`
  const total = dailyClicks.reduce((sum, clicks) => sum + clicks, 0)
  const scale = Math.max(MIN_SCALE, ...dailyClicks)
  const points = dailyClicks.map((clicks, index) => {
    const x = (index / Math.max(1, dailyClicks.length - 1)) * WIDTH
    // One unit above and below keeps the stroke inside the box.
    const y = HEIGHT - 1 - (clicks / scale) * (HEIGHT - 2)
    return [x, y].map((value) => Math.round(value * 10) / 10).join(',')
  })
  return html`<svg class="spark${total === 0 ? ' none' : null}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"><title>${t('links.clicksInDays', { n: total })}</title><polyline points="${points.join(' ')}"/></svg>`
}
