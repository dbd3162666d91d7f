import { html } from '@remix-run/html-template'
import { hostText } from '../../../pages/short-link-text.ts'
import { t } from '../../../texts.ts'
import { renderCopyable } from '../kit/parts.ts'
import { type Frame, renderConsolePage } from '../shell/layout.ts'
import { getScopeName } from './key-form.ts'
import { type KeyView, type Recipes, renderRecipes } from './recipes.ts'

type NewKey = Omit<Recipes, 'key'> & { key: KeyView & { name: string | null } }

/** Renders the page of a new key, which is shown only this once. `baseUrl` has no trailing slash. */
export function renderNewKeyPage(frame: Frame, { key, ...service }: NewKey): string {
  const { name, scope, domain } = key
  const facts = [
    ...(name === null ? [] : [t('key.newKey.named', { name })]),
    t('key.newKey.scope', { name: getScopeName(scope) }),
    ...(domain ? [t('key.newKey.domain', { host: hostText(domain) })] : []),
    t('key.newKey.once'),
  ]
  return renderConsolePage(frame, {
    title: t('key.newKey.title'),
    section: '/console/keys',
    body: html`<h1>${t('key.newKey.title')}</h1>
<p class="soft">${facts.join(' ')}</p>
<div class="panel made">${renderCopyable({ id: 'key', text: key.text })}</div>
<h2 class="next">${t('key.newKey.try')}</h2>
<div class="panel">${renderCopyable({ id: 'curl', text: createCurlCommand(service.baseUrl, key) })}</div>
${renderRecipes({ ...service, key })}
<p class="actions"><a class="button" href="/console/keys">${t('key.newKey.done')}</a></p>`,
  })
}

/** Returns a curl command that the key may run. */
function createCurlCommand(baseUrl: string, { text, canRead }: KeyView): string {
  const header = `-H 'Authorization: Bearer ${text}'`
  return canRead
    ? `curl ${header} ${baseUrl}/api/urls`
    : `curl ${header} --json '{"url": "https://example.com/"}' ${baseUrl}/api/url/add`
}
