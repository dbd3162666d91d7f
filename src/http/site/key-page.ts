import { html } from '@remix-run/html-template'
import { page } from '../../pages/layout.ts'
import { getLanguage, t } from '../../texts.ts'

export type ApiKeyPage = {
  nonce: string
  username: string
  key: string
  /** The service's base URL without a trailing slash, for the example call. */
  baseUrl: string
}

/**
 * Renders the page after registration without a console. The API key is shown only this once. Send it with
 * `Cache-Control: no-store`. Needs only the common policy.
 */
export function renderApiKeyPage({ nonce, username, key, baseUrl }: ApiKeyPage): string {
  return page({
    title: t('registration.key.title'),
    nonce,
    language: getLanguage(),
    width: 'wide',
    body: html`<p class="eyebrow">${t('registration.key.welcome', { username })}</p>
<h1>${t('registration.key.title')}</h1>
<p class="soft">${t('registration.key.about')}</p>
<div class="inset">
<pre><code class="key" id="key">${key}</code></pre>
</div>
<p class="actions">
<button class="button" type="button" id="copy" hidden>${t('registration.key.copy')}</button>
<a class="button quiet" href="/docs">${t('registration.key.documentation')}</a>
</p>
<p class="small soft" id="copied" role="status" data-text-copied="${t('registration.key.copied')}" data-text-failed="${t('registration.key.copyFailed')}"></p>
<h2 class="next">${t('registration.key.try')}</h2>
<div class="inset"><pre><code>curl -H 'Authorization: Bearer ${key}' \\
${baseUrl}/api/account</code></pre></div>
<script nonce="${nonce}">
const copy = document.getElementById('copy')
if (navigator.clipboard) {
  copy.hidden = false
  copy.addEventListener('click', async () => {
    const status = document.getElementById('copied')
    try {
      await navigator.clipboard.writeText(document.getElementById('key').textContent)
      status.textContent = status.dataset.textCopied
    } catch {
      status.textContent = status.dataset.textFailed
    }
  })
}
</script>`,
  })
}
