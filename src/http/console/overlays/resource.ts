import { html } from '@remix-run/html-template'
import type { HttpContext } from '../../../context.ts'
import {
  addOverlay,
  deleteOverlay,
  getOverlay,
  listOverlays,
  updateOverlay,
} from '../../../overlays/overlay.service.ts'
import type { Overlay, OverlayEntry } from '../../../overlays/overlay.ts'
import { OVERLAY_TYPES, readOverlay } from '../../../overlays/overlay-input.ts'
import { overlayPage, overlayPolicy } from '../../../pages/overlay.ts'
import { getLanguage, t, tAll } from '../../../texts.ts'
import { toOverlayCard } from '../../html/owner-texts.ts'
import type { Preview } from '../kit/preview.ts'
import type { Resource, Values } from '../resources/resource.ts'
import { formatMoment } from '../shell/format-day.ts'
import { splitLines } from './lines.ts'

/** An overlay. The list omits most fields. */
type ListedOverlay = OverlayEntry & Partial<Overlay>

/** Defines overlays as a kind of resource. */
export function createOverlayResource(ctx: HttpContext): Resource<ListedOverlay> {
  return {
    get words() {
      return { section: '/console/overlays', ...tAll('overlay.words') } as const
    },
    get columns() {
      return [t('overlay.type'), t('resource.created')]
    },
    nameOf: ({ name }) => name,
    cellsOf: ({ type, createdAt }, zone) => [
      { text: t(`overlay.types.${type}`) },
      { text: formatMoment(createdAt, zone) },
    ],
    get fields() {
      const fields = createOverlayFields()
      return { create: fields, edit: fields }
    },
    valuesOf: ({ type, name, text = '', button, link, image, options = [] }) => ({
      type,
      name,
      text,
      button: button ?? '',
      link: link ?? '',
      image: image ?? '',
      options: options.join('\n'),
    }),
    preview: {
      get note() {
        return t('resource.previewNote')
      },
      read: ({ values }) => createPreview(values),
    },
    hasDetailsPage: true,
    list: (accountId, page) => listOverlays(ctx.db, accountId, page),
    get: (accountId, id) => getOverlay(ctx.db, accountId, id),
    add: (accountId, values) => addOverlay(ctx, ctx.db, accountId, toOverlayInput(values)),
    update: (accountId, id, values) =>
      updateOverlay(ctx, ctx.db, accountId, id, toOverlayInput(values)),
    remove: (accountId, id) => deleteOverlay(ctx, ctx.db, accountId, id),
  }
}

function createOverlayFields() {
  const choices = OVERLAY_TYPES.map((type) => ({ value: type, label: t(`overlay.types.${type}`) }))
  return [
    { name: 'type', label: t('overlay.type'), type: 'choice', choices },
    { name: 'name', label: t('resource.name'), maxLength: 200, hint: t('resource.privateName') },
    {
      name: 'text',
      label: t('overlay.text'),
      type: 'multiline',
      maxLength: 5000,
      hint: t('overlay.textHint'),
    },
    { name: 'button', label: t('overlay.button'), maxLength: 100, optional: true },
    { name: 'link', label: t('overlay.link'), maxLength: 8192, optional: true },
    { name: 'image', label: t('overlay.image'), maxLength: 8192, optional: true },
    {
      name: 'options',
      label: t('overlay.options'),
      type: 'multiline',
      optional: true,
      hint: t('overlay.optionsHint'),
    },
  ] as const
}

/** Returns a preview of an overlay above an empty page, with a sample text if its text is empty. */
function createPreview(values: Values): Preview {
  const input = toOverlayInput(values)
  const { type, text, button, link, image, options } = readOverlay({
    ...input,
    type: input.type || OVERLAY_TYPES[0] || '',
    name: 'preview',
    text: input.text.trim() || t('overlay.sampleText'),
  })
  const card = toOverlayCard({ type, text, button, link, image, options: JSON.parse(options) })
  const language = getLanguage()
  return {
    render: (nonce) =>
      overlayPage({
        nonce,
        language,
        destination: 'https://example.com/',
        card,
        form: { action: '/', csrf: '' },
        backdrop: html`<h1 class="hidden-text">${t('overlay.preview')}</h1>
<p class="backdrop">${t('overlay.destination')}</p>`,
      }),
    policy: { imgSrc: overlayPolicy({ card }).imgSrc ?? [] },
  }
}

function toOverlayInput({
  type = '',
  name = '',
  text = '',
  button,
  link,
  image,
  options = '',
}: Values) {
  const lines = splitLines(options)
  const choices =
    lines.length > 0 ? lines : [t('overlay.defaultOptions.0'), t('overlay.defaultOptions.1')]
  return {
    type,
    name,
    // Browsers submit text areas with CRLF line breaks.
    text: text.replaceAll('\r\n', '\n'),
    button: button || null,
    link: link?.trim() || null,
    image: image?.trim() || null,
    // The form has the field for all types, so its text remains when another type is selected.
    options: type === 'poll' ? [...choices] : null,
  }
}
