import { html, type SafeHtml } from '@remix-run/html-template'
import type { Config } from '../../../config.ts'
import type { NewKey } from '../../../identity/key.service.ts'
import { isScopeSufficient } from '../../../identity/key-scope.ts'
import { t, tHtml } from '../../../texts.ts'
import { renderCopyable, renderCopyButton, renderPanel } from '../kit/parts.ts'

/**
 * Renders setup instructions for apps that use the service. A new key is filled in, and selects the
 * recipes. Without one, a placeholder is shown. docs/recipes.md has the same content.
 */
export function renderRecipes(
  { baseUrl, yourlsApi }: Pick<Config, 'baseUrl' | 'yourlsApi'>,
  key?: NewKey,
): SafeHtml {
  const canCreate = isAllowed(key, 'create')
  const recipes = [
    canCreate && yourlsApi ? renderYourlsRecipe(baseUrl, key) : null,
    canCreate ? renderShareXRecipe(baseUrl, key) : null,
    canCreate ? renderShortcutsRecipe(baseUrl, key) : null,
    renderHomeAssistantRecipe(baseUrl, key),
  ]
  return renderPanel('recipes', t('recipes.title'), recipes, { className: 'recipes' })
}

/** Returns a curl command that a new key may run. */
export function createCurlCommand(baseUrl: string, key: NewKey): string {
  const header = `-H 'Authorization: Bearer ${key.key}'`
  return isAllowed(key, 'read')
    ? `curl ${header} ${baseUrl}/api/urls`
    : `curl ${header} --json '{"url": "https://example.com/"}' ${baseUrl}/api/url/add`
}

function isAllowed(key: NewKey | undefined, access: 'read' | 'create'): boolean {
  return !key || isScopeSufficient(key.scope, access)
}

function renderYourlsRecipe(baseUrl: string, key: NewKey | undefined): SafeHtml {
  return html`<details><summary>${t('recipes.yourls')}</summary>
${key ? null : html`<p>${tHtml('recipes.useCreate')}</p>`}
<p>${t('recipes.apiUrl')}</p>
<p>${renderCopyable({ id: 'yourls-url', text: `${baseUrl}/yourls-api.php` })}</p>
<p>${t('recipes.yourlsKey')}</p>
${key ? html`<p>${renderCopyable({ id: 'yourls-key', text: key.key })}</p>` : null}
</details>`
}

/** Renders the recipe for ShareX. Its file is easily shared, so it may only contain create keys. */
function renderShareXRecipe(baseUrl: string, key: NewKey | undefined): SafeHtml {
  return html`<details><summary>${t('recipes.shareX')}</summary>
${
  key?.scope === 'create'
    ? html`<p><a class="button quiet" download="brevis.sxcu" href="${createShareXConfig(baseUrl, key.key)}">${t('recipes.download')}</a></p>
<p>${t('recipes.shareXFile')}</p>`
    : html`<p>${tHtml('recipes.shareXKey')}</p>`
}
</details>`
}

function renderShortcutsRecipe(baseUrl: string, key: NewKey | undefined): SafeHtml {
  const url = renderCopyable({ id: 'ios-url', text: `${baseUrl}/api/url/add` })
  const header = renderCopyable({ id: 'ios-key', text: formatBearer(key) })
  return html`<details><summary>${t('recipes.shortcuts')}</summary>
${key ? null : html`<p>${tHtml('recipes.useCreate')}</p>`}
<ol>
<li>${tHtml('recipes.shortcutSteps.0')}</li>
<li>${tHtml('recipes.shortcutSteps.1', { url })}</li>
<li>${tHtml('recipes.shortcutSteps.2', { header })}</li>
<li>${tHtml('recipes.shortcutSteps.3')}</li>
<li>${tHtml('recipes.shortcutSteps.4')}</li>
</ol></details>`
}

/** Renders the recipe for Home Assistant. Keys bound to a domain cannot read the account's clicks. */
function renderHomeAssistantRecipe(baseUrl: string, key: NewKey | undefined): SafeHtml | null {
  const parts = [
    isAllowed(key, 'read') && !key?.domain ? createSensorConfig(baseUrl, key) : '',
    isAllowed(key, 'create') ? createRestCommand(baseUrl, key) : '',
  ].filter(Boolean)
  if (parts.length === 0) return null
  return html`<details><summary>${t('recipes.homeAssistant')}</summary>
${key ? null : html`<p>${tHtml('recipes.useLinks')}</p>`}
<p>${tHtml('recipes.inFile', { file: html`<code>${t('recipes.configFile')}</code>` })}</p>
<pre class="inset" tabindex="0"><code id="home-assistant">${parts.join('\n\n')}</code></pre>
<p>${renderCopyButton('home-assistant')}</p>
</details>`
}

function formatBearer(key: NewKey | undefined): string {
  return t('recipes.bearer', { key: key?.key ?? t('recipes.placeholder') })
}

/**
 * Returns a ShareX custom uploader (https://getsharex.com/docs/custom-uploader) as a data URL. The
 * page already contains the key, so no further request carries it.
 */
function createShareXConfig(baseUrl: string, key: string): string {
  const uploader = {
    Version: '16.1.0',
    Name: t('recipes.uploader', { host: new URL(baseUrl).host }),
    DestinationType: 'URLShortener',
    RequestMethod: 'POST',
    RequestURL: `${baseUrl}/api/url/add`,
    Headers: { Authorization: t('recipes.bearer', { key }) },
    Body: 'JSON',
    Data: '{"url":"{input}"}',
    URL: '{json:shorturl}',
    ErrorMessage: '{json:message}',
  }
  const file = JSON.stringify(uploader, null, 2)
  return `data:application/octet-stream;charset=utf-8,${encodeURIComponent(file)}`
}

function createSensorConfig(baseUrl: string, key: NewKey | undefined): string {
  return `sensor:
  - platform: rest
    name: ${t('recipes.clicksIn30Days')}
    resource: ${baseUrl}/api/stats?limit=1
    headers:
      Authorization: "${formatBearer(key)}"
    value_template: "{{ value_json.data.clicks }}"
    unit_of_measurement: clicks
    scan_interval: 300`
}

function createRestCommand(baseUrl: string, key: NewKey | undefined): string {
  return `rest_command:
  shorten:
    url: ${baseUrl}/api/url/add
    method: post
    headers:
      Authorization: "${formatBearer(key)}"
    content_type: application/json
    payload: "{{ {'url': url} | to_json }}"`
}
