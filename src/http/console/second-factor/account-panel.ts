import { html, type SafeHtml } from '@remix-run/html-template'
import { t } from '../../../texts.ts'

/** Renders the panel of the account page that links to the second factor. */
export function renderSecondFactorPanel(): SafeHtml {
  return html`<section class="panel" aria-labelledby="second-factor">
<h2 id="second-factor">${t('secondFactor.title')}</h2>
<p class="soft">${t('secondFactor.summary')}</p>
<p class="actions"><a class="button quiet" href="/console/account/second-factor">${t('secondFactor.manage')}<span class="hidden-text"> ${t('secondFactor.title')}</span></a></p>
</section>`
}
