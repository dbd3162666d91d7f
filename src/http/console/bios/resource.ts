import {
  addBio,
  deleteBio,
  getBioForEditor,
  listBios,
  updateBio,
} from '../../../bio/bio.service.ts'
import type { BioPage } from '../../../bio/bio.ts'
import { DEFAULT_COLOR, DEFAULT_THEME } from '../../../bio/bio-input.ts'
import { readBioPicture } from '../../../bio/picture.ts'
import type { HttpContext } from '../../../context.ts'
import { shortUrlOf } from '../../../links/short-url.ts'
import { t, tAll } from '../../../texts.ts'
import type { Files, Resource, Rows, Values } from '../resources/resource.ts'
import { formatCount } from '../shell/format-count.ts'
import { createBioFields } from './form-fields.ts'
import { createPreview } from './preview.ts'

/** Defines bio pages as a kind of resource. */
export function createBioResource(ctx: HttpContext): Resource<BioPage> {
  const prefix = `${ctx.config.baseUrl}/b`
  // Without a `picture`, the stored one is kept.
  const readPicture = async (accountId: number, { picture: file }: Files) => {
    const picture = file ? await readBioPicture(ctx, accountId, file) : file
    return picture === undefined ? {} : { picture }
  }
  return {
    get words() {
      return { section: '/console/bios', ...tAll('bio.words') } as const
    },
    get columns() {
      return [t('bio.columns.url'), t('bio.columns.links'), t('bio.columns.clicks')]
    },
    nameOf: ({ title }) => title,
    cellsOf: ({ alias, links }) => [
      { url: shortUrlOf(prefix, alias) },
      { text: formatCount(links.length) },
      { text: formatCount(links.reduce((sum, { clicks = 0 }) => sum + clicks, 0)) },
    ],
    get fields() {
      const fields = createBioFields(`${prefix}/`)
      return { create: fields, edit: fields }
    },
    initial: { theme: DEFAULT_THEME, color: DEFAULT_COLOR },
    valuesOf: ({ title, alias, text, theme, color, pictureHash: hash }) => {
      const picture = hash === null ? '' : `/b/${encodeURIComponent(alias)}/picture.png?v=${hash}`
      return { title, alias, text, theme, color, picture }
    },
    rowsOf: ({ links }) => ({ links: links.map(({ title, url }) => [title, url]) }),
    noteOf: ({ links }, [title, url]) => {
      const matches = links.filter((link) => link.url === url)
      const { clicks, hidden } = matches.find((link) => link.title === title) ?? matches[0] ?? {}
      const parts = [
        ...(hidden ? [t(`bio.hidden.${hidden}`)] : []),
        ...(clicks === undefined ? [] : [t('bio.clicks', { n: clicks })]),
      ]
      return parts.join(' · ') || undefined
    },
    preview: createPreview(ctx, toBioInput),
    list: (accountId, page) => listBios(ctx.db, accountId, page),
    get: (accountId, id) => getBioForEditor(ctx, ctx.db, accountId, id),
    async add(accountId, values, rows, files) {
      const picture = await readPicture(accountId, files)
      return addBio(ctx, ctx.db, accountId, { ...toBioInput(values, rows), ...picture })
    },
    async update(accountId, id, values, rows, files) {
      const picture = await readPicture(accountId, files)
      return updateBio(ctx, ctx.db, accountId, id, { ...toBioInput(values, rows), ...picture })
    },
    remove: (accountId, id) => deleteBio(ctx, ctx.db, accountId, id),
  }
}

function toBioInput({ title = '', alias = '', text = '', ...style }: Values, { links = [] }: Rows) {
  return {
    title,
    alias: alias.trim(),
    // Browsers submit text areas with CRLF line breaks.
    text: text.replaceAll('\r\n', '\n') || null,
    theme: style.theme || null,
    color: style.color || null,
    links: links.map(([title = '', url = '']) => ({ title, url })),
  }
}
