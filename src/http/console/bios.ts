import { html } from '@remix-run/html-template'
import type { FastifyInstance } from 'fastify'
import type { HttpContext } from '../../context.ts'
import { bioPage } from '../../pages/bio.ts'
import { MAX_LOGO_BYTES } from '../../qr/logo-source.ts'
import { readBioPicture } from '../../resources/bio-changes.ts'
import { DEFAULT_COLOR, DEFAULT_THEME } from '../../resources/bio-fields.ts'
import { bios, getBioForEditor, getBioPicture } from '../../resources/bios.ts'
import { getLanguage, t } from '../../texts.ts'
import { shortUrlOf } from '../../urls/short-url.ts'
import { parseForms } from '../request/multipart.ts'
import { defineForm, type Form, type FormValues, type Specs } from './kit/form.ts'
import { renderPublicUrl } from './kit/link-name.ts'
import { renderCopyable } from './kit/parts.ts'
import type { RowList } from './kit/rows.ts'
import type { ConsoleScope } from './resources/list.ts'
import { createSpecs, enterValues, registerResourcePages } from './resources/pages.ts'
import { formatCount } from './shell/format.ts'

/** Slightly too large pictures get an error at their field. Much larger bodies are rejected. */
const BODY_LIMIT = 2 * MAX_LOGO_BYTES
/** More than the default, because each link of a page has two fields. */
const MAX_PARTS = 512

/** Returns the plugin with the list of bio pages, and their form with a preview. */
export function createBioRoutes(ctx: HttpContext) {
  return async function plugin(app: FastifyInstance): Promise<void> {
    await parseForms(app, BODY_LIMIT, { repeatsAsLists: true, parts: MAX_PARTS })
    registerBioRoutes(app, ctx)
  }
}

function registerBioRoutes(app: FastifyInstance, ctx: HttpContext): void {
  const prefix = `${ctx.config.baseUrl}/b`
  const form = createForm(ctx)

  registerResourcePages(app, ctx, bios, {
    columns: () => [
      {
        head: t('bio.columns.url'),
        cell: ({ id, alias }) => renderPublicUrl(shortUrlOf(prefix, alias), `cell-${id}-0`),
      },
      { head: t('bio.columns.links'), cell: ({ links }) => formatCount(links.length) },
      {
        head: t('bio.columns.clicks'),
        cell: ({ links }) => formatCount(links.reduce((sum, { clicks = 0 }) => sum + clicks, 0)),
      },
    ],
    get: getBioForEditor,
    form,
    editForm: form,
    initial: { theme: DEFAULT_THEME, color: DEFAULT_COLOR },
    valuesOf: ({ pictureHash: hash, ...bio }) => ({
      ...bio,
      picture: hash && `/b/${encodeURIComponent(bio.alias)}/picture.png?v=${hash}`,
      links: bio.links.map(({ title, url }) => [title, url]),
    }),
    renderIntro: ({ alias }) =>
      html`<p>${renderCopyable({ id: 'page', href: shortUrlOf(prefix, alias) })}</p>`,
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
        const { title, text, links, theme, color } = toValues(values)
        const image = await loadPicture(stored)
        const picture = image && `data:image/png;base64,${image.toString('base64')}`
        const page = {
          language: getLanguage(),
          title: title?.trim() || t('bio.preview.title'),
          links: bios.fields.links.read(links ?? []),
          theme: bios.fields.theme.read(theme ?? null),
          color: bios.fields.color.read(color ?? null),
          ...(text && { text }),
          ...(picture && { picture }),
        }
        return { render: (nonce) => bioPage({ nonce, ...page }) }
      },
    },
    add: (scope, values, body) =>
      bios.create(scope, { ...toValues(values), ...submittedPicture(scope, body) }),
    update: (scope, id, values, body) =>
      bios.update(scope, id, { ...toValues(values), ...submittedPicture(scope, body) }),
  })

  /** Returns how to read the submitted picture: null removes the stored one. Otherwise, it is kept. */
  function submittedPicture(
    { accountId }: ConsoleScope,
    body: unknown,
  ): { picture?: () => Promise<Buffer | null> } {
    const { picture, 'remove-picture': remove } = (body ?? {}) as Record<string, unknown>
    // Browsers send an empty file if none is selected.
    if (!Buffer.isBuffer(picture) || picture.length === 0)
      return remove === 'on' ? { picture: async () => null } : {}
    return { picture: () => readBioPicture(ctx, accountId, picture) }
  }

  /**
   * Returns the submitted picture, otherwise the stored one unless it is to be removed, otherwise null.
   * The stored picture is embedded, too, because a sandboxed page cannot load it.
   */
  async function loadPicture(stored: {
    scope: ConsoleScope
    body: unknown
    entry: { id: number; pictureHash?: string | null } | undefined
  }): Promise<Buffer | null | undefined> {
    const { scope, body, entry } = stored
    const picture = await submittedPicture(scope, body).picture?.()
    if (picture !== undefined || !entry?.pictureHash) return picture
    return getBioPicture(scope, entry.id)
  }
}

/** Creates the form of a bio page, with its picture and rows of links. */
function createForm(ctx: HttpContext): Form<Specs> {
  const { title, alias, text, theme, color } = createSpecs(bios.fields, ctx)
  const specs = {
    title,
    alias,
    text,
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
    theme,
    color,
  } as Specs
  return defineForm(specs, { codes: bios.pages.codes })
}

function toValues({ links, ...values }: FormValues<Specs>) {
  const rows = links as RowList
  return {
    ...enterValues(bios, values),
    links: rows.map(([title = '', url = '']) => ({ title, url })),
  }
}
