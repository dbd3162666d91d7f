import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'

const WIDTH = 90
const HEIGHT = 24

/** Clicks by day as a small line without axes, the largest day as high as the picture. */
export function sparkline(days: readonly number[]): SafeHtml {
  const sum = days.reduce((all, clicks) => all + clicks, 0)
  const top = Math.max(1, ...days)
  const points = days.map((clicks, index) => {
    const x = (index / Math.max(1, days.length - 1)) * WIDTH
    return `${round(x)},${round(HEIGHT - 1 - (clicks / top) * (HEIGHT - 2))}`
  })
  return html`<svg class="spark${sum === 0 ? ' none' : null}" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img"><title>${formatCount(sum)} in the last ${days.length} days</title><polyline points="${points.join(' ')}"/></svg>`
}

function round(value: number): string {
  return String(Math.round(value * 10) / 10)
}
