import { html, type SafeHtml } from '@remix-run/html-template'

type Way = { href: string; label: string }

export type Chooser = {
  /** The days that are shown, in words. */
  span: string
  presets: readonly (Way & { key: string; current: boolean })[]
  earlier?: Way | undefined
  later?: Way | undefined
  intervals: readonly (Way & { current: boolean })[]
  compare?: { href: string; on: boolean } | undefined
  /** The form for any days: where it leads, and what it holds. */
  custom: { action: string; from: string; to: string; max: string; kept: [string, string][] }
}

/** Which days are looked at. Every choice is a link, so that it has an address of its own. */
export function chooser({ span, presets, intervals, compare, custom, ...more }: Chooser): SafeHtml {
  return html`<div class="chooser" role="group" aria-label="Period">
<ul class="pills">${presets.map(
    ({ href, label, key, current }) =>
      html`<li><a href="${href}" data-key="${key}" aria-keyshortcuts="${key}"${current ? html` aria-current="true"` : null}>${label} <kbd aria-hidden="true">${key}</kbd></a></li>`,
  )}</ul>
<div class="choices">
<div class="span">
${step(more.earlier, '‹')}
<p><strong>${span}</strong> <span class="soft">UTC</span></p>
${step(more.later, '›')}
</div>
${
  intervals.length > 1
    ? html`<ul class="pills small">${intervals.map(
        ({ href, label, current }) =>
          html`<li><a href="${href}"${current ? html` aria-current="true"` : null}>${label}</a></li>`,
      )}</ul>`
    : null
}
${
  compare
    ? html`<a class="toggle" href="${compare.href}" data-key="X" aria-keyshortcuts="X">${compare.on ? 'Hide previous period' : 'Compare: previous period'} <kbd aria-hidden="true">X</kbd></a>`
    : null
}
<details class="other" id="other-days"><summary>Custom range</summary>
<form method="get" action="${custom.action}" class="choice">
${custom.kept.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
<label>Start <input type="date" name="from" value="${custom.from}" max="${custom.max}" required></label>
<label>End <input type="date" name="to" value="${custom.to}" max="${custom.max}" required></label>
<button class="button quiet">Apply</button>
</form></details>
</div>
</div>`
}

function step(way: Way | undefined, sign: string): SafeHtml {
  return way
    ? html`<a class="button quiet small" href="${way.href}" data-key="${sign === '‹' ? 'ArrowLeft' : 'ArrowRight'}"><span aria-hidden="true">${sign}</span><span class="hidden-text">${way.label}</span></a>`
    : html`<span class="button quiet small none" aria-hidden="true">${sign}</span>`
}
