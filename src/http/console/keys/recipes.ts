import { html, type SafeHtml } from '@remix-run/html-template'
import { recipeMessages as messages } from './recipe-messages.ts'

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
<h2 id="recipes">${messages.title}</h2>
${canCreate && hasYourlsApi ? renderYourlsRecipe(baseUrl, key) : null}
${canCreate ? renderShareXRecipe(baseUrl, key) : null}
${canCreate ? renderShortcutsRecipe(baseUrl, key) : null}
${renderHomeAssistantRecipe(baseUrl, key)}
</section>`
}

function renderYourlsRecipe(baseUrl: string, key: KeyView | undefined): SafeHtml {
  return html`<details><summary>${messages.yourls}</summary>
${key ? null : html`<p>${messages.useCreate()}</p>`}
<p>${messages.apiUrl}</p>
<p>${renderCopyableText('yourls-url', `${baseUrl}/yourls-api.php`)}</p>
<p>${messages.yourlsKey}</p>
${key ? html`<p>${renderCopyableText('yourls-key', key.text)}</p>` : null}
</details>`
}

/** Renders the recipe for ShareX. Its file is easily shared, so it may only contain create keys. */
function renderShareXRecipe(baseUrl: string, key: KeyView | undefined): SafeHtml {
  return html`<details><summary>${messages.shareX}</summary>
${
  key?.scope === 'create'
    ? html`<p><a class="button quiet" download="brevis.sxcu" href="${createShareXConfig(baseUrl, key.text)}">${messages.download}</a></p>
<p>${messages.shareXFile}</p>`
    : html`<p>${messages.shareXKey()}</p>`
}
</details>`
}

function renderShortcutsRecipe(baseUrl: string, key: KeyView | undefined): SafeHtml {
  const steps = messages.shortcutSteps(
    renderCopyableText('ios-url', `${baseUrl}/api/url/add`),
    renderCopyableText('ios-key', formatBearer(key)),
  )
  return html`<details><summary>${messages.shortcuts}</summary>
${key ? null : html`<p>${messages.useCreate()}</p>`}
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
  return html`<details><summary>${messages.homeAssistant}</summary>
${key ? null : html`<p>${messages.useLinks()}</p>`}
<p>${messages.inFile(html`<code>${messages.configFile}</code>`)}</p>
${renderCopyableBlock('home-assistant', parts.join('\n\n'))}
</details>`
}

function formatBearer(key: KeyView | undefined): string {
  return messages.bearer(key?.text ?? messages.placeholder)
}

function renderCopyableText(id: string, value: string): SafeHtml {
  return html`<span class="copyable"><code id="${id}">${value}</code> ${renderCopyButton(id)}</span>`
}

function renderCopyableBlock(id: string, value: string): SafeHtml {
  return html`<pre class="inset" tabindex="0"><code id="${id}">${value}</code></pre>
<p>${renderCopyButton(id)}</p>`
}

function renderCopyButton(id: string): SafeHtml {
  return html`<button class="button quiet small" type="button" data-copy="${id}" aria-describedby="${id}">${messages.copy}</button>`
}

/**
 * Returns a ShareX custom uploader (https://getsharex.com/docs/custom-uploader) as a data URL. The
 * page already contains the key, so no further request carries it.
 */
function createShareXConfig(baseUrl: string, key: string): string {
  const uploader = {
    Version: '16.1.0',
    Name: messages.uploader(new URL(baseUrl).host),
    DestinationType: 'URLShortener',
    RequestMethod: 'POST',
    RequestURL: `${baseUrl}/api/url/add`,
    Headers: { Authorization: messages.bearer(key) },
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
    name: ${messages.clicksIn30Days}
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
