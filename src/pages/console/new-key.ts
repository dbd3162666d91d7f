import { html } from '@remix-run/html-template'
import { copyable } from './copyable.ts'
import { consolePage, type Frame } from './frame.ts'
import { type Recipes, recipes } from './recipes.ts'

/** A key that has just been made, shown this once. `baseUrl` has no slash at its end. */
export function newKeyPage(
  frame: Frame,
  { name, key, ...service }: { name: string | null; key: string } & Omit<Recipes, 'key'>,
): string {
  return consolePage(frame, {
    title: 'Your new key',
    section: '/console/keys',
    body: html`<h1>Your new key</h1>
<p class="soft">${name === null ? null : html`“${name}”. `}It is shown only this once. Keep it in a safe place and share it with nobody.</p>
<div class="panel made">${copyable({ id: 'key', text: key })}</div>
<h2 class="next">Try it</h2>
<div class="panel">${copyable({
      id: 'curl',
      text: `curl -H 'Authorization: Bearer ${key}' ${service.baseUrl}/api/account`,
    })}</div>
${recipes({ ...service, key })}
<p class="actions"><a class="button" href="/console/keys">Back to the keys</a></p>`,
  })
}
