import { html } from '@remix-run/html-template'
import { brandMark } from './brand-mark.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'
import type { PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

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
  return page({
    title: visitorText(language, 'home.title'),
    nonce,
    language,
    width: 'wide',
    indexed: true,
    head: metaTags({ title: 'Brevis', description: visitorText(language, 'home.lead') }),
    body: html`<p class="brand">${brandMark} Brevis</p>
<h1>${visitorText(language, 'home.heading')}</h1>
<p class="lead">${visitorText(language, 'home.lead')}</p>
<p class="actions">
${isRegistrationOpen ? html`<a class="button" href="/register">${visitorText(language, 'home.register')}</a>` : null}
${hasConsole ? html`<a class="button${isRegistrationOpen ? ' quiet' : ''}" href="/console">${visitorText(language, 'home.signIn')}</a>` : null}
<a class="button${isRegistrationOpen || hasConsole ? ' quiet' : ''}" href="/docs">${visitorText(language, 'home.documentation')}</a>
</p>
${isRegistrationOpen ? null : html`<p class="small soft">${visitorText(language, 'home.closed')}</p>`}`,
  })
}
