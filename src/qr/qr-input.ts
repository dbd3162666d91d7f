import { requireText } from '../text.ts'
import { formatRgb, parseRgb } from './drawing/color.ts'
import type { ReadLogo } from './logo-source.ts'
import type { PreparedQr, QrInput } from './qr.ts'
import type { ReadQrContent } from './read-content.ts'

export type ReadQrInput = ReturnType<typeof createQrInputReader>

type Dependencies = { readContent: ReadQrContent; readLogo: ReadLogo }

export const MAX_NAME = 200

/**
 * Gives the function that reads what an account asks of a code. It may fetch the logo, so it must not
 * be called inside a transaction; it does so last, when everything else is good.
 *
 * The function throws AppError `invalid_input` naming the field, and `busy`.
 */
export function createQrInputReader({ readContent, readLogo }: Dependencies) {
  return async function read(accountId: number, input: QrInput): Promise<PreparedQr> {
    const { type, name, background, foreground, logo } = input
    const content = await readContent(accountId, input)
    const prepared: PreparedQr = { type, content }
    if (name !== undefined) prepared.name = name ? requireText('name', name, MAX_NAME) : null
    if (background !== undefined) prepared.background = readColor('background', background)
    if (foreground !== undefined) prepared.foreground = readColor('foreground', foreground)
    if (logo !== undefined) prepared.logo = logo ? await readLogo(accountId, logo) : null
    return prepared
  }
}

function readColor(field: string, color: string | null): string | null {
  return color ? formatRgb(parseRgb(field, color)) : null
}
