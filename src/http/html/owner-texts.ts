import type { OverlayCard } from '../../pages/overlay-card.ts'
import type { CustomSplash } from '../../pages/splash.ts'
import type { Overlay } from '../../resources/overlays.ts'
import type { SplashPage } from '../../resources/splashes.ts'

/**
 * Converts an overlay to the content of its card. The first line of its text becomes the title. An
 * image overlay without an image becomes a message.
 */
export function toOverlayCard(
  overlay: Pick<Overlay, 'type' | 'text' | 'button' | 'link' | 'image' | 'options'>,
): OverlayCard {
  const { type, options } = overlay
  // The first line is the heading, which is also visible while the card is collapsed.
  const [title = '', ...rest] = overlay.text.split('\n')
  const common = {
    title,
    text: rest.join('\n').trim(),
    ...(overlay.button !== null && { button: overlay.button }),
    ...(overlay.link !== null && { link: overlay.link }),
  }
  if (type === 'poll') return { ...common, type, options }
  // Without an image there is nothing to show.
  if (type === 'image' && overlay.image) return { ...common, type, image: overlay.image }
  if (type === 'image') return { ...common, type: 'message' }
  return { ...common, type }
}

/** Returns the content of an account's custom splash page. */
export function toCustomSplash({
  title,
  message,
  image,
  link,
}: Pick<SplashPage, 'title' | 'message' | 'image' | 'link'>): CustomSplash {
  return { title, message, image: image ?? '', link: link ?? '' }
}
