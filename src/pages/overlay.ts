import { html, type SafeHtml } from '@remix-run/html-template'
import { type CspExtras, originsOf } from './csp.ts'
import { framePolicy, renderDestinationFrame } from './frame.ts'
import { page } from './layout.ts'
import { type Meta, metaTags } from './meta.ts'
import { type OverlayCard, type OverlayForm, overlayContent } from './overlay-card.ts'
import { renderPixelImages } from './pixels.ts'
import { hostOf } from './safe-url.ts'
import type { PageContext } from './texts.ts'
import { visitorText } from './texts.ts'

/**
 * The styles of the card on top of the destination: a sheet at the bottom on phones, a card in the
 * corner on wide screens.
 */
const overlayStyle: SafeHtml = html`
.cta {
  position: fixed;
  inset-inline-end: max(.75rem, env(safe-area-inset-right));
  bottom: max(.75rem, env(safe-area-inset-bottom));
  inset-inline-start: max(.75rem, env(safe-area-inset-left));
  z-index: 2;
  display: flex;
  flex-direction: column;
  max-width: 24rem;
  max-height: calc(100vh - 1.5rem);
  max-height: calc(100dvh - 1.5rem);
  margin-inline-start: auto;
  overflow-y: auto;
  overscroll-behavior: contain;
  background: var(--card);
  border: 1px solid var(--line);
  border-radius: 1.25rem;
  box-shadow: 0 2px 6px rgb(0 0 0 / 10%), 0 20px 60px -10px rgb(0 0 0 / 35%);
}
.cta:not([open]) { inset-inline-start: auto; width: fit-content; max-width: calc(100% - 1.5rem); border-radius: 1.5rem; }
.cta summary { display: flex; align-items: center; min-height: 2.75rem; cursor: pointer; font-weight: 600; font-size: .875rem; list-style: none; }
.cta summary::-webkit-details-marker { display: none; }
.cta summary:focus-visible { outline-offset: -3px; border-radius: 1.25rem; }
.cta[open] summary { width: fit-content; margin-block: .375rem 0; margin-inline: auto .375rem; padding: 0 1rem; border-radius: 1rem; color: var(--soft); }
.cta[open] summary::after { content: '\\2715' / ''; margin-inline-start: .5rem; }
.cta[open] summary:hover { background: var(--tint); color: var(--ink); }
.cta:not([open]) summary { padding: .25rem 1.25rem; }
.cta:not([open]) summary::before { content: ''; flex: none; width: .5rem; height: .5rem; margin-inline-end: .625rem; border-radius: 50%; background: var(--accent); }
.cta[open] .closed, .cta:not([open]) .opened { display: none; }
.cta:not([open]) .closed { display: -webkit-box; overflow: hidden; -webkit-box-orient: vertical; -webkit-line-clamp: 2; }
.cta-body { padding: .25rem 1.5rem 1.5rem; }
.cta form { margin-top: .25rem; }
.cta .actions { margin-top: 1.25rem; }
.cta-image img { display: block; width: 100%; max-height: 60vh; object-fit: contain; border-radius: .875rem; }
.backdrop { display: grid; place-items: start center; min-height: 100vh; margin: 0; padding: 1.5rem; color: var(--soft); text-align: center; }
fieldset { margin: 1rem 0 0; padding: 0; border: 0; min-width: 0; }
.option { display: flex; align-items: center; gap: .75rem; min-height: 2.875rem; margin-top: .5rem; padding: .5rem .875rem; border: 1px solid var(--line); border-radius: .75rem; font-weight: 400; cursor: pointer; }
.option:hover { background: var(--tint); }
.option:has(:checked) { border-color: var(--accent); background: var(--tint); }
.option input { flex: none; width: 1.125rem; min-height: 0; height: 1.125rem; margin: 0; padding: 0; accent-color: var(--accent); }
`

export type OverlayPage = PageContext & {
  destination: string
  meta?: Meta
  card: OverlayCard
  form: OverlayForm
  pixelUrls?: readonly string[]
  /** Replaces the frame if the destination must not be visible. */
  backdrop?: SafeHtml
}

/** Returns the policy that `overlayPage` needs: the frame and the image's origin. */
export function overlayPolicy({ card }: Pick<OverlayPage, 'card'>): CspExtras {
  return { ...framePolicy, imgSrc: originsOf(card.type === 'image' ? [card.image] : []) }
}

/**
 * Renders the destination in a frame that fills the window, or `backdrop` instead, with a
 * call-to-action card on top. The card is a `<details>` element, which collapses to a button without scripts. Needs
 * `overlayPolicy`. The limitations of `framePage` apply.
 */
export function overlayPage({
  nonce,
  language,
  destination,
  meta = {},
  card,
  form,
  pixelUrls = [],
  backdrop,
}: OverlayPage): string {
  const title = meta.title || hostOf(destination)
  return page({
    title,
    nonce,
    language,
    width: 'bleed',
    head: html`${metaTags({ ...meta, title })}
<style nonce="${nonce}">${overlayStyle}</style>`,
    body: html`${backdrop ?? renderDestinationFrame(language, destination, title)}
<details class="cta" open>
<summary><span class="opened">${visitorText(language, 'overlay.close')}</span><span class="closed" dir="auto">${card.title}</span></summary>
<div class="cta-body">
${overlayContent(language, card, form)}
</div>
</details>${renderPixelImages(pixelUrls)}`,
  })
}
