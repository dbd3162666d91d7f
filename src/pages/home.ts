import { html } from '@remix-run/html-template'
import { brandMark } from './brand-mark.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { homeMessages } from './messages/home.ts'
import { metaTags } from './meta.ts'

export type HomePage = PageContext & {
  isRegistrationOpen: boolean
  /** Whether the console exists. */
  hasConsole?: boolean
}

/** Renders the service's home page. Needs only the common policy. */
export function homePage({
  nonce,
  language,
  isRegistrationOpen,
  hasConsole = false,
}: HomePage): string {
  const texts = homeMessages[language]
  return page({
    title: texts.title,
    nonce,
    language,
    width: 'wide',
    indexed: true,
    head: metaTags({ title: 'Brevis', description: texts.lead }),
    body: html`<p class="brand">${brandMark} Brevis</p>
<h1>${texts.heading}</h1>
<p class="lead">${texts.lead}</p>
<p class="actions">
${isRegistrationOpen ? html`<a class="button" href="/register">${texts.register}</a>` : null}
${hasConsole ? html`<a class="button${isRegistrationOpen ? ' quiet' : ''}" href="/console">${texts.signIn}</a>` : null}
<a class="button${isRegistrationOpen || hasConsole ? ' quiet' : ''}" href="/docs">${texts.documentation}</a>
</p>
${isRegistrationOpen ? null : html`<p class="small soft">${texts.closed}</p>`}`,
  })
}
