import { html, type SafeHtml } from '@remix-run/html-template'
import { pluralize } from '../shell/plural.ts'
import { linksMessages } from './messages.ts'

const WIDTH = 90
const HEIGHT = 24

/**
 * Renders clicks per day as a small line without axes. `top`, the highest daily count of all lines,
 * is the common scale.
 */
export function renderSparkline(days: readonly number[], top: number): SafeHtml {
  const sum = days.reduce((all, clicks) => all + clicks, 0)
  const points = days.map((clicks, index) => {
    const x = (index / Math.max(1, days.length - 1)) * WIDTH
    return `${round(x)},${round(HEIGHT - 1 - (clicks / Math.max(1, top)) * (HEIGHT - 2))}`
  })
  return html`<svg class="spark${sum === 0 ? ' none' : null}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"><title>${pluralize(sum, linksMessages.clicksInDays)}</title><polyline points="${points.join(' ')}"/></svg>`
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10)
}
