import type { FastifyInstance } from 'fastify'
import {
  addBio,
  deleteBio,
  getBioForEditor,
  getBioPicture,
  listBios,
  updateBio,
} from '../../bio/bio.service.ts'
import { BIO_THEMES, type BioPage } from '../../bio/bio.ts'
import {
  DEFAULT_COLOR,
  DEFAULT_THEME,
  parseColor,
  parseTheme,
  readLinks,
} from '../../bio/bio-input.ts'
import { readBioPicture } from '../../bio/picture.ts'
import type { HttpContext } from '../../context.ts'
import { shortUrlOf } from '../../links/short-url.ts'
import { bioPage } from '../../pages/bio.ts'
import { MAX_LOGO_BYTES } from '../../qr/logo-source.ts'
import { getLanguage, t, tAll } from '../../texts.ts'
import { parseForms } from '../request/multipart.ts'
import { defineForm } from './kit/form.ts'
import { renderCopyable } from './kit/parts.ts'
import { registerResource } from './resources/resource.ts'
import { formatCount } from './shell/format.ts'

/** Slightly too large pictures get an error at their field. Much larger bodies are rejected. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES
/** More than the default, because each link of a page has two fields. */
const MAX_PARTS = 512

type BioForm = ReturnType<typeof createForm>
type Values = ReturnType<BioForm['read']>

/** Returns the plugin with the list of bio pages, and their form with a preview. */
export function createBioRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT, { repeatsAsLists: true, parts: MAX_PARTS })
    registerBioRoutes(app, ctx)
  }
}

function registerBioRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const prefix = `${ctx.config.baseUrl}/b`

  registerResource(app, {
    section: '/console/bios',
    words: () => tAll('bio.words'),
    nameOf: ({ title }: BioPage) => title,
    columns: () => [
      {
        head: t('bio.columns.url'),
        cell: ({ id, alias }) =>
          renderCopyable({ id: `cell-${id}-0`, href: shortUrlOf(prefix, alias) }),
      },
      { head: t('bio.columns.links'), cell: ({ links }) => formatCount(links.length) },
      {
        head: t('bio.columns.clicks'),
        cell: ({ links }) => formatCount(links.reduce((sum, { clicks = 0 }) => sum + clicks, 0)),
      },
    ],
    list: (accountId, slice) => listBios(ctx.db, accountId, slice),
    get: (accountId, id) => getBioForEditor(ctx, ctx.db, accountId, id),
    remove: (accountId, id) => deleteBio(ctx, ctx.db, accountId, id),
    form: createForm(`${prefix}/`),
    initial: { theme: DEFAULT_THEME, color: DEFAULT_COLOR },
    valuesOf: ({ pictureHash: hash, ...bio }) => ({
      ...bio,
      picture: hash && `/b/${encodeURIComponent(bio.alias)}/picture.png?v=${hash}`,
      links: bio.links.map(({ title, url }) => [title, url]),
    }),
    noteOfRow: ({ links }, [title, url]) => {
      const matches = links.filter((link) => link.url === url)
      const { clicks, hidden } = matches.find((link) => link.title === title) ?? matches[0] ?? {}
      const notes = [
        hidden && t(`bio.hidden.${hidden}`),
        clicks !== undefined && t('bio.clicks', { n: clicks }),
      ]
      return notes.filter(Boolean).join(' · ') || undefined
    },
    preview: {
      note: 'bio.preview.note',
      draw: async (values, stored) => {
        const { title, text, links, theme, color } = toInput(values)
        const image = await loadPicture(stored)
        const picture = image && `data:image/png;base64,${image.toString('base64')}`
        const page = {
          language: getLanguage(),
          title: title.trim() || t('bio.preview.title'),
          links: readLinks(links),
          theme: parseTheme(theme ?? DEFAULT_THEME),
          color: parseColor(color ?? DEFAULT_COLOR),
          ...(text && { text }),
          ...(picture && { picture }),
        }
        return { render: (nonce) => bioPage({ nonce, ...page }) }
      },
    },
    add: async (accountId, values, body) =>
      addBio(ctx, ctx.db, accountId, {
        ...toInput(values),
        ...(await readPicture(accountId, body)),
      }),
    update: async (accountId, id, values, body) => {
      const picture = await readPicture(accountId, body)
      return updateBio(ctx, ctx.db, accountId, id, { ...toInput(values), ...picture })
    },
  })

  /** Returns the submitted picture, or null to remove the stored one. Otherwise, it is kept. */
  async function readPicture(
    accountId: number,
    body: unknown,
  ): Promise<{ picture?: Buffer | null }> {
    const { picture, 'remove-picture': remove } = (body ?? {}) as Record<string, unknown>
    // Browsers send an empty file if none is selected.
    if (!Buffer.isBuffer(picture) || picture.length === 0)
      return remove === 'on' ? { picture: null } : {}
    return { picture: await readBioPicture(ctx, accountId, picture) }
  }

  /**
   * Returns the submitted picture, otherwise the stored one unless it is to be removed, otherwise null.
   * The stored picture is embedded, too, because a sandboxed page cannot load it.
   */
  async function loadPicture(stored: {
    accountId: number
    body: unknown
    entry: BioPage | undefined
  }): Promise<Buffer | null | undefined> {
    const { accountId, body, entry } = stored
    const { picture } = await readPicture(accountId, body)
    if (picture !== undefined || !entry?.pictureHash) return picture
    return getBioPicture(ctx.db, accountId, entry.id)
  }
}

/** Creates the form of a bio page. `prefix` is the part of a bio page's URL before its alias. */
function createForm(prefix: string) {
  return defineForm(
    {
      title: { label: 'bio.title', maxLength: 200 },
      alias: { label: 'bio.alias', maxLength: 64, hint: () => t('bio.aliasHint', { prefix }) },
      text: { label: 'bio.text', type: 'multiline', maxLength: 5000, optional: true },
      picture: {
        label: 'bio.picture.label',
        hint: 'bio.picture.hint',
        type: 'file',
        accept: 'image/png,image/jpeg',
        image: () => ({ alt: t('bio.picture.current'), remove: t('bio.picture.remove') }),
      },
      links: {
        label: 'bio.links.label',
        hint: 'bio.links.hint',
        type: 'rows',
        texts: 'bio.links.rows',
        columns: () => [
          {
            name: 'title',
            label: t('bio.links.title'),
            example: t('bio.links.titleExample'),
            maxLength: 200,
          },
          {
            name: 'url',
            label: t('bio.links.url'),
            example: 'https://example.com/',
            maxLength: 8192,
          },
        ],
      },
      theme: {
        label: 'bio.theme',
        type: 'select',
        choices: () => BIO_THEMES.map((value) => ({ value, label: t(`bio.themes.${value}`) })),
      },
      color: { label: 'bio.color', type: 'color', hint: 'bio.colorHint' },
    },
    { codes: { alias_taken: 'alias' } },
  )
}

function toInput({ title, alias, text, theme, color, links }: Values) {
  return {
    title,
    alias: alias.trim(),
    // Browsers submit text areas with CRLF line breaks.
    text: text.replaceAll('\r\n', '\n') || null,
    theme: theme || null,
    color: color || null,
    links: links.map(([title = '', url = '']) => ({ title, url })),
  }
}
