import { html, type SafeHtml } from '@remix-run/html-template'

export type Recipes = {
  /** Without a slash at its end. */
  baseUrl: string
  /** A key that is being shown, to stand in the recipes; without one a word stands for it. */
  key?: string
  /** Whether programs that speak to YOURLS may call. */
  yourls: boolean
}

/** How programs are told of the service and of a key; docs/recipes.md says the same. */
export function recipes({ baseUrl, key, yourls }: Recipes): SafeHtml {
  const bearer = `Bearer ${key ?? 'YOUR-KEY'}`
  const add = `${baseUrl}/api/url/add`
  return html`<section class="panel recipes" aria-labelledby="recipes">
<h2 id="recipes">Programs that can use ${key === undefined ? 'a key' : 'it'}</h2>
${yourls ? yourlsRecipe(baseUrl, key) : null}
<details><summary>ShareX</summary>
${
  key === undefined
    ? html`<p>The page that shows a new key has a file for ShareX with that key in it.</p>`
    : html`<p><a class="button quiet" download="brevis.sxcu" href="${shareX(baseUrl, key)}">Download brevis.sxcu</a></p>
<p>Open the file, and ShareX shortens here. The key is in it: do not pass it on.</p>`
}
</details>
<details><summary>iPhone and iPad: Shortcuts</summary>
<ol>
<li>Make a shortcut, and in its details turn on “Show in Share Sheet” for URLs.</li>
<li>Add “Get Contents of URL” with this address: ${text('ios-url', add)}</li>
<li>In it choose the method POST, and add a header <b>Authorization</b> with ${text('ios-key', bearer)}</li>
<li>As request body choose JSON, with a text field <b>url</b> set to the shortcut’s input.</li>
<li>Add “Get Dictionary Value” for the key <b>shorturl</b>, then “Copy to Clipboard”.</li>
</ol></details>
<details><summary>Home Assistant</summary>
<p>In <code>configuration.yaml</code>; the clicks of the last 30 days, and an action that shortens.</p>
${block('home-assistant', homeAssistant(baseUrl, bearer))}
</details>
</section>`
}

function yourlsRecipe(baseUrl: string, key: string | undefined): SafeHtml {
  return html`<details><summary>Browser extensions and other programs for YOURLS</summary>
<p>The address of the API, where a program asks for it:</p>
<p>${text('yourls-url', `${baseUrl}/yourls-api.php`)}</p>
<p>The key goes where a program asks for the signature token; or for the password, with any username. Signatures with a time do not work.</p>
${key === undefined ? null : html`<p>${text('yourls-key', key)}</p>`}
</details>`
}

function text(id: string, value: string): SafeHtml {
  return html`<span class="copyable"><code id="${id}">${value}</code> ${copyButton(id)}</span>`
}

function block(id: string, value: string): SafeHtml {
  return html`<pre class="inset" tabindex="0"><code id="${id}">${value}</code></pre>
<p>${copyButton(id)}</p>`
}

function copyButton(id: string): SafeHtml {
  return html`<button class="button quiet small" type="button" data-copy="${id}" aria-describedby="${id}">Copy</button>`
}

/**
 * A custom uploader (https://getsharex.com/docs/custom-uploader) as a link that holds the file: the key
 * is on this page anyway, and travels no second time.
 */
function shareX(baseUrl: string, key: string): string {
  const uploader = {
    Version: '16.1.0',
    Name: `Brevis (${new URL(baseUrl).host})`,
    DestinationType: 'URLShortener',
    RequestMethod: 'POST',
    RequestURL: `${baseUrl}/api/url/add`,
    Headers: { Authorization: `Bearer ${key}` },
    Body: 'JSON',
    Data: '{"url":"{input}"}',
    URL: '{json:shorturl}',
    ErrorMessage: '{json:message}',
  }
  const file = JSON.stringify(uploader, null, 2)
  return `data:application/octet-stream;charset=utf-8,${encodeURIComponent(file)}`
}

function homeAssistant(baseUrl: string, bearer: string): string {
  return `sensor:
  - platform: rest
    name: Clicks in 30 days
    resource: ${baseUrl}/api/stats?limit=1
    headers:
      Authorization: "${bearer}"
    value_template: "{{ value_json.data.clicks }}"
    unit_of_measurement: clicks
    scan_interval: 300

rest_command:
  shorten:
    url: ${baseUrl}/api/url/add
    method: post
    headers:
      Authorization: "${bearer}"
    content_type: application/json
    payload: "{{ {'url': url} | to_json }}"`
}
