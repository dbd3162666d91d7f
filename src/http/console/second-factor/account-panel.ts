import { html, type SafeHtml } from '@remix-run/html-template'
import { secondFactorMessages as texts } from './messages.ts'

/** Renders the panel of the account page that links to the second factor. */
export function renderSecondFactorPanel(): SafeHtml {
  return html`<section class="panel" aria-labelledby="second-factor">
<h2 id="second-factor">${texts.title}</h2>
<p class="soft">${texts.summary}</p>
<p class="actions"><a class="button quiet" href="/console/account/second-factor">${texts.manage}<span class="hidden-text"> ${texts.title}</span></a></p>
</section>`
}
