import { html, type SafeHtml } from '@remix-run/html-template'
import { type CspExtras, originsOf } from './csp.ts'
import { framePolicy, renderDestinationFrame } from './frame.ts'
import type { PageContext } from './language.ts'
import { page } from './layout.ts'
import { type Meta, metaTags } from './meta.ts'
import { type OverlayCard, type OverlayForm, overlayContent } from './overlay-card.ts'
import { overlayStyle } from './overlay-style.ts'
import { renderPixelImages } from './pixel-images.ts'
import { hostOf } from './safe-url.ts'
import { visitorText } from './texts.ts'

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
