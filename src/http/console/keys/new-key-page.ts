import { html } from '@remix-run/html-template'
import { hostText } from '../../../pages/short-link-text.ts'
import { renderCopyable } from '../shell/copyable.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { getScopeName } from './key-form.ts'
import { keyMessages } from './messages.ts'
import { type KeyView, type Recipes, renderRecipes } from './recipes.ts'

type NewKey = Omit<Recipes, 'key'> & { key: KeyView & { name: string | null } }

/** Renders the page of a new key, which is shown only this once. `baseUrl` has no trailing slash. */
export function renderNewKeyPage(frame: Frame, { key, ...service }: NewKey): string {
  const { name, scope, domain } = key
  const { newKey: messages } = keyMessages
  const facts = [
    ...(name === null ? [] : [messages.named(name)]),
    messages.scope(getScopeName(scope)),
    ...(domain ? [messages.domain(hostText(domain))] : []),
    messages.once,
  ]
  return renderConsolePage(frame, {
    title: messages.title,
    section: '/console/keys',
    body: html`<h1>${messages.title}</h1>
<p class="soft">${facts.join(' ')}</p>
<div class="panel made">${renderCopyable({ id: 'key', text: key.text })}</div>
<h2 class="next">${messages.try}</h2>
<div class="panel">${renderCopyable({ id: 'curl', text: createCurlCommand(service.baseUrl, key) })}</div>
${renderRecipes({ ...service, key })}
<p class="actions"><a class="button" href="/console/keys">${messages.done}</a></p>`,
  })
}

/** Returns a curl command that the key may run. */
function createCurlCommand(baseUrl: string, { text, canRead }: KeyView): string {
  const header = `-H 'Authorization: Bearer ${text}'`
  return canRead
    ? `curl ${header} ${baseUrl}/api/urls`
    : `curl ${header} --json '{"url": "https://example.com/"}' ${baseUrl}/api/url/add`
}
