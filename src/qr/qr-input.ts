import type { WebContext } from '../context.ts'
import type { Scope } from '../scope.ts'
import { requireText } from '../text.ts'
import { parseCaption } from './drawing/caption-font.ts'
import { formatRgb, parseRgb } from './drawing/color.ts'
import { DOTS, EYES, PLAIN_STYLE, parseShape } from './drawing/style.ts'
import type { PreparedQr, QrInput } from './qr.ts'
import { readQrContent } from './read-content.ts'

export const MAX_NAME = 200

/**
 * Validates the input for a code. May fetch the logo, so do not call it in a transaction. Fetches
 * the logo last, when everything else is known to be valid.
 *
 * @throws AppError `invalid_input` naming the field, `busy`
 */
export async function readQrInput(scope: Scope<WebContext>, input: QrInput): Promise<PreparedQr> {
  const { type, name, background, foreground, logo, dots, eyes, caption } = input
  const content = await readQrContent(scope, input)
  const prepared: PreparedQr = { type, content }
  if (name !== undefined) prepared.name = name ? requireText('name', name, MAX_NAME) : null
  if (background !== undefined) prepared.background = readColor('background', background)
  if (foreground !== undefined) prepared.foreground = readColor('foreground', foreground)
  if (dots !== undefined) prepared.dots = parseShape('dots', dots || PLAIN_STYLE.dots, DOTS)
  if (eyes !== undefined) prepared.eyes = parseShape('eyes', eyes || PLAIN_STYLE.eyes, EYES)
  if (caption !== undefined) prepared.caption = parseCaption(caption ?? '')
  if (logo !== undefined) prepared.logo = logo ? await scope.readLogo(scope.accountId, logo) : null
  return prepared
}

function readColor(field: string, color: string | null): string | null {
  return color ? formatRgb(parseRgb(field, color)) : null
}
