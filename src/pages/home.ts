import { html } from '@remix-run/html-template'
import { brandMark } from './brand-mark.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { homeMessages } from './messages/home.ts'
import { metaTags } from './meta.ts'

export type HomePage = PageContext & {
  registrationOpen: boolean
  /** Whether the console exists. */
  console?: boolean
}

/** Renders the service's home page. Needs only the common policy. */
export function homePage({ nonce, language, registrationOpen, console = false }: HomePage): string {
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
${registrationOpen ? html`<a class="button" href="/register">${texts.register}</a>` : null}
${console ? html`<a class="button${registrationOpen ? ' quiet' : ''}" href="/console">${texts.signIn}</a>` : null}
<a class="button${registrationOpen || console ? ' quiet' : ''}" href="/docs">${texts.documentation}</a>
</p>
${registrationOpen ? null : html`<p class="small soft">${texts.closed}</p>`}`,
  })
}
