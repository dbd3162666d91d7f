import { html, type SafeHtml } from '@remix-run/html-template'
import { brandMark } from './brand-mark.ts'
import { page } from './layout.ts'
import { metaTags } from './meta.ts'
import { type PageContext, visitorText } from './texts.ts'

export type HomePage = PageContext & {
  isRegistrationOpen: boolean
  /** Whether the console exists. */
  hasConsole?: boolean
  /** The name of the installation. */
  siteName?: string
}

/** What the service offers, in the order of the page. */
const FACTS = ['reliable', 'statistics', 'own'] as const

/** The styles of the picture, in the colors of the page. */
const pictureStyle: SafeHtml = html`.picture-of { display: block; width: 100%; height: auto; direction: ltr; }
.picture-of .card { fill: var(--card); stroke: var(--line); }
.picture-of .ground { fill: var(--paper); stroke: var(--line); }
.picture-of .tint { fill: var(--tint); }
.picture-of .edge { fill: var(--line); }
.picture-of .soft { fill: var(--edge); }
.picture-of .ink { fill: var(--ink); }
.picture-of .accent { fill: var(--accent); }
.picture-of .grid { stroke: var(--line); }
.picture-of :is(.line, .link) { fill: none; stroke: var(--accent); stroke-width: 3; stroke-linejoin: round; stroke-linecap: round; }
.picture-of .link { stroke-width: 2; }
.picture-of .area { fill: var(--accent); opacity: .14; }
.picture-of text { font-weight: 650; }`

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

/** Clicks of the lines of the picture, from 0 to 100. */
const CLICKS = [18, 26, 22, 38, 34, 52, 47, 66, 60, 78, 74, 92]
const ROWS = [
  { name: 96, share: 190 },
  { name: 128, share: 132 },
  { name: 74, share: 88 },
]
/** The dark cells of the picture's code, as coordinates in a grid of 9 by 9. */
const CELLS = '30 50 41 32 52 43 14 34 54 74 05 45 85 36 66 86 47 57 77 38 68 88 58'.split(' ')
const EYES = ['0 0', '6 0', '0 6']

/** Renders a picture of a short link, its clicks over time, where they come from, and its code. */
function homePicture(): SafeHtml {
  const points = CLICKS.map((clicks, index) => `${40 + index * 35},${186 - clicks}`)
  return html`<svg class="picture-of" viewBox="0 0 480 340" aria-hidden="true">
<rect class="ground" x=".5" y=".5" width="479" height="339" rx="16"/>
<rect class="card" x="20.5" y="20.5" width="439" height="44" rx="10"/>
<path class="link" transform="translate(40 30)" d="M10 14a4 4 0 0 0 6 .4l3-3a4 4 0 0 0-5.7-5.7l-1.2 1.2M14 10a4 4 0 0 0-6-.4l-3 3a4 4 0 0 0 5.7 5.7l1.2-1.2"/>
<text class="ink" x="76" y="48" font-size="17">go.example/spring</text>
<rect class="accent" x="392" y="31" width="56" height="23" rx="6"/>
<rect class="card" x="402" y="40" width="36" height="5" rx="2.5"/>
<rect class="card" x="20.5" y="76.5" width="439" height="124" rx="10"/>
${[106, 146, 186].map((y) => html`<path class="grid" d="M40 ${y}H440"/>`)}
<path class="area" d="M40 186L${points.join('L')}V186z"/>
<polyline class="line" points="${points.join(' ')}"/>
<circle class="accent" cx="425" cy="94" r="5"/>
<rect class="card" x="20.5" y="212.5" width="291" height="107" rx="10"/>
${ROWS.map(
  ({ name, share }, index) =>
    html`<rect class="tint" x="34" y="${226 + index * 28}" width="${share}" height="22" rx="5"/><rect class="soft" x="44" y="${234 + index * 28}" width="${name * 0.7}" height="6" rx="3"/><rect class="edge" x="264" y="${234 + index * 28}" width="32" height="6" rx="3"/>`,
)}
<rect class="card" x="323.5" y="212.5" width="136" height="107" rx="10"/>
<g transform="translate(346 221)">${EYES.map((at) => {
    const [x, y] = at.split(' ').map((each) => Number(each) * 10)
    return html`<path class="ink" d="M${x} ${y}h30v30h-30zm5 5v20h20v-20z"/><rect class="accent" x="${Number(x) + 10}" y="${Number(y) + 10}" width="10" height="10"/>`
  })}${CELLS.map(
    ([x, y]) =>
      html`<rect class="ink" x="${Number(x) * 10}" y="${Number(y) * 10}" width="10" height="10"/>`,
  )}</g>
</svg>`
}
