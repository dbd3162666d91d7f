import type { FastifyReply } from 'fastify'
import type { HttpContext } from '../../context.ts'
import type { Decision } from '../../links/decide.ts'
import type { Overlay, Meta as StoredMeta, VisitLink } from '../../links/link.ts'
import { confirmPage, confirmPolicy } from '../../pages/confirm.ts'
import { framePage, framePolicy } from '../../pages/frame.ts'
import { linkPreviewPage } from '../../pages/link-preview.ts'
import type { Meta } from '../../pages/meta.ts'
import { overlayPage, overlayPolicy } from '../../pages/overlay.ts'
import type { OverlayForm } from '../../pages/overlay-card.ts'
import { allowPixelImages, pixelsPage, pixelsPolicy } from '../../pages/pixels.ts'
import { splashPage, splashPolicy } from '../../pages/splash.ts'
import { toCustomSplash, toOverlayCard } from '../html/owner-texts.ts'
import { sendVisitorPage } from '../html/send-page.ts'
import { issueOverlayToken } from './overlay-token.ts'
import { buildReportPath } from './reports.ts'
import { buildFormAction } from './request-parts.ts'

type PageDecision = Extract<
  Decision,
  { kind: 'link-preview' | 'pixels' | 'frame' | 'splash' | 'overlay' }
>

/** Sends the page that shows a link's destination or continues to it. */
export function sendDestinationPage(
  ctx: HttpContext,
  reply: FastifyReply,
  link: VisitLink,
  decision: PageDecision,
): FastifyReply {
  const { destination } = decision
  const meta = presentMeta(link.meta)
  const pixelUrls = ctx.pixelVendors.listPixelUrls(link.pixels)
  switch (decision.kind) {
    case 'link-preview':
      return sendVisitorPage(reply, (context) =>
        linkPreviewPage({ ...context, shortUrl: link.shortUrl, destination, meta }),
      )
    case 'pixels':
      return sendVisitorPage(
        reply,
        (context) => pixelsPage({ ...context, destination, pixelUrls }),
        {
          policy: pixelsPolicy({ pixelUrls }),
        },
      )
    case 'frame':
      return sendVisitorPage(
        reply,
        (context) => framePage({ ...context, destination, meta, pixelUrls }),
        {
          policy: allowPixelImages(framePolicy, pixelUrls),
        },
      )
    case 'splash': {
      const { splash } = decision
      const custom = splash
        ? toCustomSplash({ ...splash, link: omitIfBlocked(link, splash.link) })
        : undefined
      const seconds = splash?.seconds ?? 0
      return sendVisitorPage(
        reply,
        (context) =>
          splashPage({
            ...context,
            destination,
            meta,
            seconds,
            pixelUrls,
            ...(custom && { custom }),
            reportPath: buildReportPath(link),
          }),
        { policy: allowPixelImages(splashPolicy(custom ? { custom } : {}), pixelUrls) },
      )
    }
    case 'overlay':
      return sendOverlay(
        reply,
        link,
        decision,
        { action: buildFormAction(link, reply.request), csrf: issueOverlayToken(ctx, reply, link) },
        { pixelUrls },
      )
  }
}

/** Sends the page with a button that opens the link. */
export function sendConfirmation(reply: FastifyReply, link: VisitLink): FastifyReply {
  const page = {
    shortUrl: link.shortUrl,
    action: buildFormAction(link, reply.request),
    meta: presentMeta(link.meta),
    reportPath: buildReportPath(link),
  }
  return sendVisitorPage(reply, (context) => confirmPage({ ...context, ...page }), {
    policy: confirmPolicy,
  })
}

/**
 * Sends the page of a link with an overlay. `form` is the state of its form: empty, with errors or
 * submitted. Pass `pixelUrls` only when the page is first shown, so that pixels fire only once.
 */
export function sendOverlay(
  reply: FastifyReply,
  link: VisitLink,
  { destination, overlay }: { destination: string; overlay: Overlay },
  form: OverlayForm,
  { status = 200, pixelUrls = [] }: { status?: number; pixelUrls?: readonly string[] } = {},
): FastifyReply {
  const card = toOverlayCard({ ...overlay, link: omitIfBlocked(link, overlay.link) })
  const meta = presentMeta(link.meta)
  return sendVisitorPage(
    reply,
    (context) => overlayPage({ ...context, destination, meta, card, form, pixelUrls }),
    {
      status,
      policy: allowPixelImages(overlayPolicy({ card }), pixelUrls),
    },
  )
}

/** Returns a URL from the settings of a link's page, or null if its host is blocked. */
function omitIfBlocked(
  { blockedDestinations: blocked }: VisitLink,
  url: string | null,
): string | null {
  return url !== null && blocked?.has(url) ? null : url
}

function presentMeta({ title, description, image }: StoredMeta): Meta {
  return { ...(title && { title }), ...(description && { description }), ...(image && { image }) }
}
