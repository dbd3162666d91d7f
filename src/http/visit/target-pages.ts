import type { FastifyReply } from 'fastify'
import type { Decision } from '../../links/decide.ts'
import type { Overlay, Meta as StoredMeta, VisitLink } from '../../links/link.ts'
import { framePage, framePolicy } from '../../pages/frame.ts'
import { linkPreviewPage } from '../../pages/link-preview.ts'
import type { Meta } from '../../pages/meta.ts'
import { overlayPage, overlayPolicy } from '../../pages/overlay.ts'
import type { OverlayCard, OverlayForm } from '../../pages/overlay-card.ts'
import { pixelsPage, pixelsPolicy } from '../../pages/pixels.ts'
import { splashPage, splashPolicy } from '../../pages/splash.ts'
import type { Services } from '../../services.ts'
import { sendPage } from './html.ts'
import { issueOverlayToken } from './overlay-token.ts'

type PageDecision = Extract<
  Decision,
  { kind: 'link-preview' | 'pixels' | 'frame' | 'splash' | 'overlay' }
>

/** Sends the page through which a link gives out its target. */
export function sendTargetPage(
  services: Services,
  reply: FastifyReply,
  link: VisitLink,
  decision: PageDecision,
): FastifyReply {
  const { target } = decision
  const meta = presentMeta(link.meta)
  switch (decision.kind) {
    case 'link-preview':
      return sendPage(reply, (nonce) =>
        linkPreviewPage({ nonce, shortUrl: link.shortUrl, target, meta }),
      )
    case 'pixels': {
      const beacons = services.beaconsOf(link.pixels)
      return sendPage(reply, (nonce) => pixelsPage({ nonce, target, beacons }), {
        policy: pixelsPolicy({ beacons }),
      })
    }
    case 'frame':
      return sendPage(reply, (nonce) => framePage({ nonce, target, meta }), { policy: framePolicy })
    case 'splash': {
      const { splash } = decision
      const custom = splash
        ? {
            title: splash.title,
            message: splash.message,
            image: splash.image ?? '',
            link: splash.link ?? '',
          }
        : undefined
      const seconds = splash?.seconds ?? 0
      return sendPage(
        reply,
        (nonce) => splashPage({ nonce, target, meta, seconds, ...(custom && { custom }) }),
        { policy: splashPolicy(custom ? { custom } : {}) },
      )
    }
    case 'overlay':
      return sendOverlay(reply, link, target, decision.overlay, {
        action: link.shortUrl,
        csrf: issueOverlayToken(services, reply, link),
      })
  }
}

/** The page of a link with an overlay, in whatever state its form is. */
export function sendOverlay(
  reply: FastifyReply,
  link: VisitLink,
  target: string,
  overlay: Overlay,
  form: OverlayForm,
  status = 200,
): FastifyReply {
  const card = cardOf(overlay)
  const meta = presentMeta(link.meta)
  return sendPage(reply, (nonce) => overlayPage({ nonce, target, meta, card, form }), {
    status,
    policy: overlayPolicy({ card }),
  })
}

function cardOf(overlay: Overlay): OverlayCard {
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

function presentMeta({ title, description, image }: StoredMeta): Meta {
  return { ...(title && { title }), ...(description && { description }), ...(image && { image }) }
}
