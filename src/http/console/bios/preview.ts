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
import { getLanguage } from '../../localization/language.ts'
import type { Resource, Rows, Typed, Values } from '../resources/resource.ts'
import type { Preview } from '../shell/send-preview.ts'
import { bioMessages } from './messages.ts'

type InputOf = (values: Values, rows: Rows) => BioInput
type Stored = { accountId: number; entry?: BioPage }

/** Returns the preview of a bio page, with a placeholder for a missing title. */
export function createPreview(
  ctx: HttpContext,
  inputOf: InputOf,
): NonNullable<Resource<BioPage>['preview']> {
  return {
    get note() {
      return bioMessages.preview.note
    },
    async read({ values, rows, files }: Typed, stored: Stored): Promise<Preview> {
      const { title, text, links, theme, color } = inputOf(values, rows)
      const image = await loadImage(ctx, files.picture, stored)
      const picture = image && `data:image/png;base64,${image.toString('base64')}`
      const content = {
        title: title.trim() || bioMessages.preview.title,
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

/** Returns the picture to embed, because a sandboxed page cannot load the stored picture. */
function loadImage(
  ctx: HttpContext,
  file: Buffer | null | undefined,
  { accountId, entry }: Stored,
) {
  if (file) return readBioPicture(ctx, accountId, file)
  if (file === null || !entry?.pictureHash) return null
  return getBioPicture(ctx.db, accountId, entry.id)
}
