import { html, type SafeHtml } from '@remix-run/html-template'

export type ChartStep = { day: string; clicks: number }

const WIDTH = 600
const HEIGHT = 160

/**
 * Clicks by day as a line with its area, from zero to the first round number above them, and the same
 * numbers as a table. The last day, which has not ended, is dashed. Needs two steps at least.
 */
export function lineChart(steps: readonly ChartStep[], title: string): SafeHtml {
  const top = roundUp(Math.max(...steps.map(({ clicks }) => clicks)))
  const points = steps.map(({ clicks }, index) => {
    const x = (index / (steps.length - 1)) * WIDTH
    return `${short(x)},${short(HEIGHT - (clicks / top) * HEIGHT)}`
  })
  const lines = [0, HEIGHT / 2, HEIGHT]
  return html`<figure class="chart">
<div class="scale"><span>${formatCount(top)}</span></div>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-labelledby="chart-title">
<title id="chart-title">${title}</title>
${lines.map((y) => html`<path class="grid" d="M0 ${y}H${WIDTH}"/>`)}
<path class="area" d="M0 ${HEIGHT}L${points.join(' ')}L${WIDTH} ${HEIGHT}Z"/>
<polyline class="stroke" points="${points.slice(0, -1).join(' ')}"/>
<polyline class="stroke open" points="${points.slice(-2).join(' ')}"/>
</svg>
<div class="scale"><span>${steps.at(0)?.day}</span><span>${steps.at(-1)?.day}, until now</span></div>
<details><summary>The numbers</summary>
<div class="numbers" tabindex="0" role="group" aria-label="${title}"><table>
<thead><tr><th scope="col">Day (UTC)</th><th scope="col" class="number">Clicks</th></tr></thead>
<tbody>${steps.map(({ day, clicks }) => html`<tr><th scope="row">${day}</th><td class="number">${formatCount(clicks)}</td></tr>`)}</tbody>
</table></div></details>
</figure>`
}

/** The first of 2, 4, 10, 20, 40, 100 and so on that is not below `value`: all have a whole half. */
export function roundUp(value: number): number {
  for (let unit = 1; ; unit *= 10) {
    const step = [2, 4, 10].find((factor) => value <= factor * unit)
    if (step !== undefined) return step * unit
  }
}

/** A whole number as people read it: 12,345. */
export function formatCount(value: number): string {
  return new Intl.NumberFormat('en').format(value)
}

function short(value: number): string {
  return String(Math.round(value * 10) / 10)
}
