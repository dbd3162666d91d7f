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
import { overlayCard } from '../../html/owner-texts.ts'
import type { Preview } from '../preview.ts'
import { formatMoment } from '../shell/format-day.ts'
import { linesOf } from './lines.ts'
import type { Resource, Values } from './resource.ts'

type Listed = OverlayEntry & Partial<Overlay>

/** The types of overlays with their labels. */
export const overlayLabels: Readonly<Record<Overlay['type'], string>> = {
  contact: 'Contact form',
  poll: 'Poll',
  message: 'Message',
  newsletter: 'Newsletter form',
  image: 'Image',
}
const choices = OVERLAY_TYPES.map((type) => ({ value: type, label: overlayLabels[type] }))

export function overlayResource(ctx: HttpContext): Resource<Listed> {
  const fields: Resource<Listed>['fields']['make'] = [
    { name: 'type', label: 'Type', type: 'choice', choices },
    { name: 'name', label: 'Name', maxLength: 200, hint: 'Only you see this name.' },
    {
      name: 'text',
      label: 'Text',
      type: 'multiline',
      maxLength: 5000,
      hint: 'The first line is the heading.',
    },
    { name: 'button', label: 'Button text', maxLength: 100, optional: true },
    { name: 'link', label: 'Link URL', maxLength: 8192, optional: true },
    { name: 'image', label: 'Image URL', maxLength: 8192, optional: true },
    {
      name: 'options',
      label: 'Poll options',
      type: 'multiline',
      optional: true,
      hint: 'One per line, 2–20. Leave blank for Yes/No.',
    },
  ]
  return {
    words: {
      section: '/console/overlays',
      name: 'overlay',
      many: 'Overlays',
      about: 'Show a message, image, form or poll on top of the destination page.',
      deletion: 'Links using it redirect directly. Responses are deleted.',
    },
    columns: ['Type', 'Created'],
    nameOf: ({ name }) => name,
    cellsOf: ({ type, createdAt }, zone) => [
      { text: overlayLabels[type] },
      { text: formatMoment(createdAt, zone) },
    ],
    fields: { make: fields, change: fields },
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
      note: 'Preview. Buttons are disabled.',
      read: ({ values }) => previewOf(values),
    },
    opens: true,
    list: (accountId, page) => listOverlays(ctx.db, accountId, page),
    get: (accountId, id) => getOverlay(ctx.db, accountId, id),
    add: (accountId, values) => addOverlay(ctx, ctx.db, accountId, inputOf(values)),
    update: (accountId, id, values) => updateOverlay(ctx, ctx.db, accountId, id, inputOf(values)),
    remove: (accountId, id) => deleteOverlay(ctx, ctx.db, accountId, id),
  }
}

/** Returns a preview on an empty page, with placeholders for empty fields. */
function previewOf(values: Values): Preview {
  const input = inputOf(values)
  const { type, text, button, link, image, options } = readOverlay({
    ...input,
    type: input.type || OVERLAY_TYPES[0] || '',
    name: 'Preview',
    text: input.text.trim() || 'The first line of the text is the heading',
  })
  const card = overlayCard({ type, text, button, link, image, options: JSON.parse(options) })
  return {
    draw: (nonce) =>
      overlayPage({
        nonce,
        language: 'en',
        target: 'https://example.com/',
        card,
        form: { action: '/', csrf: '' },
        backdrop: html`<h1 class="hidden-text">Preview</h1>
<p class="backdrop">Destination page</p>`,
      }),
    policy: { imgSrc: overlayPolicy({ card }).imgSrc ?? [] },
  }
}

function inputOf({ type = '', name = '', text = '', button, link, image, options = '' }: Values) {
  const choices = linesOf(options)
  return {
    type,
    name,
    // Browsers submit text areas with CRLF line breaks.
    text: text.replaceAll('\r\n', '\n'),
    button: button || null,
    link: link?.trim() || null,
    image: image?.trim() || null,
    // The field keeps its text when another type is selected.
    options: type !== 'poll' || choices.length === 0 ? null : choices,
  }
}
