import { html } from '@remix-run/html-template'
import { brandMark } from './brand-mark.ts'
import { homePicture, pictureStyle } from './home-picture.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'
import type { PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

export type HomePage = PageContext & {
  isRegistrationOpen: boolean
  /** Whether the console exists. */
  hasConsole?: boolean
  /** The name of the installation. */
  siteName?: string
}

/** What the service offers, in the order of the page. */
const FACTS = ['reliable', 'statistics', 'own'] as const

const homeStyle = html`${pictureStyle}
body.wide main { max-width: 64rem; }
.intro { display: grid; gap: 2.5rem; align-items: center; }
.intro h1 { font-size: clamp(1.875rem, 1.4rem + 2vw, 2.75rem); }
.three { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(15rem, 100%), 1fr)); gap: 1.5rem 2rem; margin-top: 2.5rem; padding-top: 2rem; border-top: 1px solid var(--line); }
@media (min-width: 52rem) { .intro { grid-template-columns: minmax(0, 1fr) minmax(0, 1.1fr); } }`

/** Renders the service's home page: its purpose, a picture and three facts. Needs only the common policy. */
export function homePage({
  nonce,
  language,
  isRegistrationOpen,
  hasConsole = false,
  siteName = 'Brevis',
}: HomePage): string {
  return page({
    title: visitorText(language, 'home.title', { name: siteName }),
    nonce,
    language,
    width: 'wide',
    indexed: true,
    head: html`${metaTags({ title: siteName, description: visitorText(language, 'home.lead') })}
<style nonce="${nonce}">${homeStyle}</style>`,
    body: html`<div class="intro">
<div>
<p class="brand">${brandMark} ${siteName}</p>
<h1>${visitorText(language, 'home.heading')}</h1>
<p class="lead">${visitorText(language, 'home.lead')}</p>
<p class="actions">
${isRegistrationOpen ? html`<a class="button" href="/register">${visitorText(language, 'home.register')}</a>` : null}
${hasConsole ? html`<a class="button${isRegistrationOpen ? ' quiet' : ''}" href="/console">${visitorText(language, 'home.signIn')}</a>` : null}
<a class="button${isRegistrationOpen || hasConsole ? ' quiet' : ''}" href="/docs">${visitorText(language, 'home.documentation')}</a>
</p>
${isRegistrationOpen ? null : html`<p class="small soft">${visitorText(language, 'home.closed')}</p>`}
</div>
${homePicture()}
</div>
<div class="three">${FACTS.map(
      (fact) => html`<section>
<h2>${visitorText(language, `home.${fact}.title`)}</h2>
<p class="soft">${visitorText(language, `home.${fact}.text`)}</p>
</section>
`,
    )}</div>`,
  })
}
