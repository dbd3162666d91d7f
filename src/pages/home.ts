import { html } from '@remix-run/html-template'
import { brandMark } from './brand-mark.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'

export type HomePage = {
  nonce: string
  registrationOpen: boolean
  /** Whether the console exists. */
  console?: boolean
}

const description = 'Shorten, share and measure links without tracking your visitors.'

/** Renders the service's home page. Needs only the common policy. */
export function homePage({ nonce, registrationOpen, console = false }: HomePage): string {
  return page({
    title: 'Brevis: short links',
    nonce,
    width: 'wide',
    indexed: true,
    head: metaTags({ title: 'Brevis', description }),
    body: html`<p class="brand">${brandMark} Brevis</p>
<h1>Short links you own.</h1>
<p class="lead">${description}</p>
<p class="actions">
${registrationOpen ? html`<a class="button" href="/register">Create account</a>` : null}
${console ? html`<a class="button${registrationOpen ? ' quiet' : ''}" href="/console">Sign in</a>` : null}
<a class="button${registrationOpen || console ? ' quiet' : ''}" href="/docs">API documentation</a>
</p>
${registrationOpen ? null : html`<p class="small soft">Sign-ups are closed.</p>`}`,
  })
}
