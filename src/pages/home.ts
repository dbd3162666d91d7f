import { html } from '@remix-run/html-template'
import { brandMark } from './brand-mark.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'

export type HomePage = {
  nonce: string
  registrationOpen: boolean
  /** Whether there is a console to sign in to. */
  console?: boolean
}

const description =
  'Brevis turns long addresses into short links, counts every visit, and leaves your visitors in peace.'

/** The service's own front page. Needs nothing beyond the common policy. */
export function homePage({ nonce, registrationOpen, console = false }: HomePage): string {
  return page({
    title: 'Brevis: short links',
    nonce,
    width: 'wide',
    indexed: true,
    head: metaTags({ title: 'Brevis', description }),
    body: html`<p class="brand">${brandMark} Brevis</p>
<h1>Long addresses, made short.</h1>
<p class="lead">${description} You make and manage your links ${console ? 'in your browser or ' : null}through a plain JSON API.</p>
<p class="actions">
${registrationOpen ? html`<a class="button" href="/register">Get an API key</a>` : null}
${console ? html`<a class="button${registrationOpen ? ' quiet' : ''}" href="/console">Open the console</a>` : null}
<a class="button${registrationOpen || console ? ' quiet' : ''}" href="/docs">Read the documentation</a>
</p>
${registrationOpen ? null : html`<p class="small soft">Registration is closed at the moment.</p>`}`,
  })
}
