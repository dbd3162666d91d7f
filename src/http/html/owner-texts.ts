import type { Overlay } from '../../overlays/overlay.ts'
import type { OverlayCard } from '../../pages/overlay-card.ts'
import type { CustomSplash } from '../../pages/splash.ts'
import type { SplashPage } from '../../splash/splash.ts'

/** An overlay as its page shows it. */
export function overlayCard(
  overlay: Pick<Overlay, 'type' | 'text' | 'button' | 'link' | 'image' | 'options'>,
): OverlayCard {
  const { type, options } = overlay
  // The first line of the text is the heading that also stands on the closed card.
  const [title = '', ...rest] = overlay.text.split('\n')
  const common = {
    title,
    text: rest.join('\n').trim(),
    ...(overlay.button !== null && { button: overlay.button }),
    ...(overlay.link !== null && { link: overlay.link }),
  }
  if (type === 'poll') return { ...common, type, options }
  // A picture that was never given is no reason to show a broken one.
  if (type === 'image' && overlay.image) return { ...common, type, image: overlay.image }
  if (type === 'image') return { ...common, type: 'message' }
  return { ...common, type }
}

/** What an account's own splash page shows. */
export function customSplash({
  title,
  message,
  image,
  link,
}: Pick<SplashPage, 'title' | 'message' | 'image' | 'link'>): CustomSplash {
  return { title, message, image: image ?? '', link: link ?? '' }
}
