import { invalid } from '../../errors.ts'

export type Redirect = 'direct' | 'frame' | 'splash' | 'overlay'
export type LinkType = { redirect: Redirect; splashId: number | null; overlayId: number | null }

const PLAIN_TYPES = ['direct', 'frame', 'splash'] as const
const ID = /^(overlay-)?([1-9]\d{0,15})$/

/**
 * Parses `direct`, `frame` or `splash` (in any case), `12` for the custom splash page 12, or
 * `overlay-12` for overlay 12.
 *
 * @throws AppError `invalid_input`
 */
export function parseLinkType(type: string): LinkType {
  const lower = type.trim().toLowerCase()
  const plain = PLAIN_TYPES.find((name) => name === lower)
  if (plain) return { redirect: plain, splashId: null, overlayId: null }
  const match = ID.exec(lower)
  const id = Number(match?.[2])
  if (!match || !Number.isSafeInteger(id)) {
    throw invalid('type', 'link_type', { example: 'overlay-<id>' })
  }
  return match[1]
    ? { redirect: 'overlay', splashId: null, overlayId: id }
    : { redirect: 'splash', splashId: id, overlayId: null }
}

/** Formats a link type in the form that `parseLinkType` accepts. */
export function formatLinkType({ redirect, splashId, overlayId }: LinkType): string {
  if (redirect === 'overlay') return overlayId === null ? 'direct' : `overlay-${overlayId}`
  return redirect === 'splash' && splashId !== null ? String(splashId) : redirect
}
