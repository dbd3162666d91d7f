import { getBioPicture } from '../../../bio/bio.service.ts'
import type { BioPage } from '../../../bio/bio.ts'
import {
  type BioInput,
  DEFAULT_COLOR,
  DEFAULT_THEME,
  parseColor,
  parseTheme,
  readLinks,
} from '../../../bio/bio-input.ts'
import { readBioPicture } from '../../../bio/picture.ts'
import type { HttpContext } from '../../../context.ts'
import { bioPage } from '../../../pages/bio.ts'
import { getLanguage, t } from '../../../texts.ts'
import type { Preview } from '../kit/preview.ts'
import type { FormInput, Resource, Rows, Values } from '../resources/resource.ts'

type ToBioInput = (values: Values, rows: Rows) => BioInput
/** The account, and the stored bio page if it is being edited. */
type Stored = { accountId: number; entry?: BioPage }

/** Defines the preview of a bio page, with a placeholder for a missing title. */
export function createPreview(
  ctx: HttpContext,
  toBioInput: ToBioInput,
): NonNullable<Resource<BioPage>['preview']> {
  return {
    get note() {
      return t('bio.preview.note')
    },
    async read({ values, rows, files }: FormInput, stored: Stored): Promise<Preview> {
      const { title, text, links, theme, color } = toBioInput(values, rows)
      const image = await loadImage(ctx, files.picture, stored)
      const picture = image && `data:image/png;base64,${image.toString('base64')}`
      const content = {
        title: title.trim() || t('bio.preview.title'),
        links: readLinks(links ?? []),
        theme: parseTheme(theme ?? DEFAULT_THEME),
        color: parseColor(color ?? DEFAULT_COLOR),
        ...(text && { text }),
        ...(picture && { picture }),
      }
      const language = getLanguage()
      return { render: (nonce) => bioPage({ nonce, language, ...content }) }
    },
  }
}

/**
 * Returns the submitted picture, otherwise the stored one unless it is to be removed, otherwise null.
 * The stored picture is embedded, too, because a sandboxed page cannot load it.
 */
function loadImage(
  ctx: HttpContext,
  file: Buffer | null | undefined,
  { accountId, entry }: Stored,
) {
  if (file) return readBioPicture(ctx, accountId, file)
  if (file === null || !entry?.pictureHash) return null
  return getBioPicture(ctx.db, accountId, entry.id)
}
