import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'

export type ShownGuesses = {
  /** Wrong guesses not yet forgiven. */
  wrong: number
  /** The time until which unknown visitors must wait, as text, or undefined. */
  waitsUntil: string | undefined
  /** Visitors who recently entered the right password. */
  knownVisitors: number
}

/** Renders the number of wrong password guesses and its consequences. */
export function guessesPanel({ wrong, waitsUntil, knownVisitors }: ShownGuesses): SafeHtml {
  return html`<section class="panel" aria-labelledby="guesses">
<h2 id="guesses">Password</h2>
<p>${wrong === 0 ? 'No recent failed attempts.' : `${formatCount(wrong)} recent failed password ${wrong === 1 ? 'attempt' : 'attempts'}. The count goes down over time.`}</p>
${
  waitsUntil === undefined
    ? null
    : html`<p class="notice">Too many failed attempts. New visitors can try again at ${waitsUntil}. ${knownText(knownVisitors)} Someone may be guessing. Consider a longer password.</p>`
}
</section>`
}

function knownText(count: number): string {
  if (count === 0) return ''
  return count === 1
    ? '1 visitor who already unlocked the link is not affected.'
    : `${formatCount(count)} visitors who already unlocked the link are not affected.`
}
