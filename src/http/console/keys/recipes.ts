import { html, type SafeHtml } from '@remix-run/html-template'
import { t, tHtml } from '../../../texts.ts'

/** The text of a key and its permissions. */
export type KeyView = {
  text: string
  scope: string
  canRead: boolean
  canCreate: boolean
  /** The host of the domain that it is bound to, if any. */
  domain: string | null
}

export type Recipes = {
  /** The URL of the service, without a trailing slash. */
  baseUrl: string
  /** The key to fill in, which also selects the recipes. Without it, a placeholder is shown. */
  key?: KeyView
  /** Whether the YOURLS API is enabled. */
  hasYourlsApi: boolean
}

/** Renders setup instructions for apps that use the service. docs/recipes.md has the same content. */
export function renderRecipes({ baseUrl, key, hasYourlsApi }: Recipes): SafeHtml {
  const canCreate = !key || key.canCreate
  return html`<section class="panel recipes" aria-labelledby="recipes">
<h2 id="recipes">${t('recipes.title')}</h2>
${canCreate && hasYourlsApi ? renderYourlsRecipe(baseUrl, key) : null}
${canCreate ? renderShareXRecipe(baseUrl, key) : null}
${canCreate ? renderShortcutsRecipe(baseUrl, key) : null}
${renderHomeAssistantRecipe(baseUrl, key)}
</section>`
}

function renderYourlsRecipe(baseUrl: string, key: KeyView | undefined): SafeHtml {
  return html`<details><summary>${t('recipes.yourls')}</summary>
${key ? null : html`<p>${tHtml('recipes.useCreate')}</p>`}
<p>${t('recipes.apiUrl')}</p>
<p>${renderCopyableText('yourls-url', `${baseUrl}/yourls-api.php`)}</p>
<p>${t('recipes.yourlsKey')}</p>
${key ? html`<p>${renderCopyableText('yourls-key', key.text)}</p>` : null}
</details>`
}

/** Renders the recipe for ShareX. Its file is easily shared, so it may only contain create keys. */
function renderShareXRecipe(baseUrl: string, key: KeyView | undefined): SafeHtml {
  return html`<details><summary>${t('recipes.shareX')}</summary>
${
  key?.scope === 'create'
    ? html`<p><a class="button quiet" download="brevis.sxcu" href="${createShareXConfig(baseUrl, key.text)}">${t('recipes.download')}</a></p>
<p>${t('recipes.shareXFile')}</p>`
    : html`<p>${tHtml('recipes.shareXKey')}</p>`
}
</details>`
}

function renderShortcutsRecipe(baseUrl: string, key: KeyView | undefined): SafeHtml {
  const url = renderCopyableText('ios-url', `${baseUrl}/api/url/add`)
  const header = renderCopyableText('ios-key', formatBearer(key))
  const steps = [
    tHtml('recipes.shortcutSteps.0'),
    tHtml('recipes.shortcutSteps.1', { url }),
    tHtml('recipes.shortcutSteps.2', { header }),
    tHtml('recipes.shortcutSteps.3'),
    tHtml('recipes.shortcutSteps.4'),
  ]
  return html`<details><summary>${t('recipes.shortcuts')}</summary>
${key ? null : html`<p>${tHtml('recipes.useCreate')}</p>`}
<ol>
${steps.map((step) => html`<li>${step}</li>`)}
</ol></details>`
}

/** Renders the recipe for Home Assistant. Keys bound to a domain cannot read the account's clicks. */
function renderHomeAssistantRecipe(baseUrl: string, key: KeyView | undefined): SafeHtml | null {
  const parts = [
    ...(!key || (key.canRead && key.domain === null) ? [createSensorConfig(baseUrl, key)] : []),
    ...(!key || key.canCreate ? [createRestCommand(baseUrl, key)] : []),
  ]
  if (parts.length === 0) return null
  return html`<details><summary>${t('recipes.homeAssistant')}</summary>
${key ? null : html`<p>${tHtml('recipes.useLinks')}</p>`}
<p>${tHtml('recipes.inFile', { file: html`<code>${t('recipes.configFile')}</code>` })}</p>
${renderCopyableBlock('home-assistant', parts.join('\n\n'))}
</details>`
}

function formatBearer(key: KeyView | undefined): string {
  return t('recipes.bearer', { key: key?.text ?? t('recipes.placeholder') })
}

function renderCopyableText(id: string, value: string): SafeHtml {
  return html`<span class="copyable"><code id="${id}">${value}</code> ${renderCopyButton(id)}</span>`
}

function renderCopyableBlock(id: string, value: string): SafeHtml {
  return html`<pre class="inset" tabindex="0"><code id="${id}">${value}</code></pre>
<p>${renderCopyButton(id)}</p>`
}

function renderCopyButton(id: string): SafeHtml {
  return html`<button class="button quiet small" type="button" data-copy="${id}" aria-describedby="${id}">${t('recipes.copy')}</button>`
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

function createSensorConfig(baseUrl: string, key: KeyView | undefined): string {
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

function createRestCommand(baseUrl: string, key: KeyView | undefined): string {
  return `rest_command:
  shorten:
    url: ${baseUrl}/api/url/add
    method: post
    headers:
      Authorization: "${formatBearer(key)}"
    content_type: application/json
    payload: "{{ {'url': url} | to_json }}"`
}
