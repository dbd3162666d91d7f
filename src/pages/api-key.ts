import { html } from '@remix-run/html-template'
import { page } from './layout.ts'

export type ApiKeyPage = {
  nonce: string
  username: string
  key: string
  /** The service's base URL without a trailing slash, for the example call. */
  baseUrl: string
  /** Whether the visitor is now signed in to the console. */
  console?: boolean
}

/**
 * Renders the page after registration with the API key, the only time it is shown. Send it with
 * `Cache-Control: no-store`. Needs only the common policy.
 */
export function apiKeyPage({ nonce, username, key, baseUrl, console = false }: ApiKeyPage): string {
  return page({
    title: 'Your API key',
    nonce,
    width: 'wide',
    body: html`<p class="eyebrow">Welcome, ${username}</p>
<h1>Your API key</h1>
<p class="soft">Copy this key now. You won't be able to see it again. It has full access to your account, so keep it like your password.</p>
<div class="inset">
<pre><code class="key" id="key">${key}</code></pre>
</div>
<p class="actions">
<button class="button" type="button" id="copy" hidden>Copy key</button>
${console ? html`<a class="button quiet" href="/console">Open the console</a>` : null}
<a class="button quiet" href="/docs">API documentation</a>
</p>
<p class="small soft" id="copied" role="status"></p>
<h2 class="next">Try it</h2>
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
      status.textContent = 'The key is in your clipboard.'
    } catch {
      status.textContent = 'The browser did not allow it. Please select the key and copy it.'
    }
  })
}
</script>`,
  })
}
