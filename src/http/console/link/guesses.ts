import { html, type SafeHtml } from '@remix-run/html-template'
import { fill } from '../../../pages/fill.ts'
import { pluralize } from '../shell/plural.ts'
import { linkMessages } from './messages.ts'

export type GuessesView = {
  /** The number of wrong guesses that still count. */
  wrong: number
  /** The time until which unknown visitors must wait, as text, or undefined. */
  waitsUntil: string | undefined
  /** Visitors who recently entered the right password. */
  knownVisitors: number
}

/** Renders the number of wrong password guesses and its consequences. */
export function renderGuessesPanel({ wrong, waitsUntil, knownVisitors }: GuessesView): SafeHtml {
  const messages = linkMessages.guesses
  return html`<section class="panel" aria-labelledby="guesses">
<h2 id="guesses">${messages.title}</h2>
<p>${wrong === 0 ? messages.none : pluralize(wrong, messages.failed)}</p>
${
  waitsUntil === undefined
    ? null
    : html`<p class="notice">${fill(messages.waiting, { time: waitsUntil })} ${knownVisitors === 0 ? null : html`${pluralize(knownVisitors, messages.known)} `}${messages.advice}</p>`
}
</section>`
}
