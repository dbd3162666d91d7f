import { html, type SafeHtml } from '@remix-run/html-template'
import { formatCount } from '../shell/format-count.ts'

export type ShownGuesses = {
  /** Wrong guesses that are not forgiven yet. */
  wrong: number
  /** Until when somebody new must wait, as a text; undefined if nobody has to. */
  waitsUntil: string | undefined
  /** Visitors who knew the password lately. */
  knownVisitors: number
}

/** How many guessed wrong at the password, and what comes of it. */
export function guessesPanel({ wrong, waitsUntil, knownVisitors }: ShownGuesses): SafeHtml {
  return html`<section class="panel" aria-labelledby="guesses">
<h2 id="guesses">Password</h2>
<p>${wrong === 0 ? 'Nobody has guessed wrong lately.' : `${formatCount(wrong)} wrong ${wrong === 1 ? 'guess' : 'guesses'} lately. In each hour some are forgiven.`}</p>
${
  waitsUntil === undefined
    ? null
    : html`<p class="notice">So many guesses were wrong that whoever is new must wait until ${waitsUntil} before the next one. ${knownText(knownVisitors)} If this goes on, somebody is trying passwords: a longer one helps.</p>`
}
</section>`
}

function knownText(count: number): string {
  if (count === 0) return 'Who has been right lately would not have to, but there is nobody.'
  return count === 1
    ? 'The 1 visitor who was right lately does not have to.'
    : `The ${formatCount(count)} visitors who were right lately do not have to.`
}
