import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

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
  return html`<section class="panel" aria-labelledby="guesses">
<h2 id="guesses">${t('link.guesses.title')}</h2>
<p>${wrong === 0 ? t('link.guesses.none') : t('link.guesses.failed', { n: wrong })}</p>
${
  waitsUntil === undefined
    ? null
    : html`<p class="notice">${t('link.guesses.waiting', { time: waitsUntil })} ${knownVisitors === 0 ? null : html`${t('link.guesses.known', { n: knownVisitors })} `}${t('link.guesses.advice')}</p>`
}
</section>`
}
