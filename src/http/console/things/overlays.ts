import type { Overlay, OverlayEntry } from '../../../overlays/overlay.ts'
import { OVERLAY_TYPES } from '../../../overlays/overlay-input.ts'
import type { Services } from '../../../services.ts'
import { formatTimestamp } from '../../timestamp.ts'
import { linesOf } from './lines.ts'
import type { Thing, Values } from './thing.ts'

type Listed = OverlayEntry & Partial<Overlay>

/** What people call the types of overlays. */
export const overlayLabels: Readonly<Record<Overlay['type'], string>> = {
  contact: 'Contact form',
  poll: 'Poll',
  message: 'Message',
  newsletter: 'Newsletter form',
  image: 'Image',
}
const choices = OVERLAY_TYPES.map((type) => ({ value: type, label: overlayLabels[type] }))

export function overlayThing({ overlays }: Services): Thing<Listed> {
  const fields: Thing<Listed>['fields']['make'] = [
    { name: 'type', label: 'Type', type: 'choice', choices },
    { name: 'name', label: 'Name', maxLength: 200, hint: 'What you call it.' },
    {
      name: 'text',
      label: 'Text',
      type: 'multiline',
      maxLength: 5000,
      hint: 'The first line is the heading.',
    },
    { name: 'button', label: 'Words on the button', maxLength: 100, optional: true },
    { name: 'link', label: 'Where the button or the image leads', maxLength: 8192, optional: true },
    { name: 'image', label: 'Address of the image', maxLength: 8192, optional: true },
    {
      name: 'options',
      label: 'Choices of a poll',
      type: 'multiline',
      optional: true,
      hint: 'One a line, 2 to 20. Empty for yes and no.',
    },
  ]
  return {
    words: {
      place: '/console/overlays',
      one: 'an overlay',
      name: 'overlay',
      many: 'Overlays',
      about: 'An overlay lies over the target of a link: a message, a picture, a form or a poll.',
      deletion: 'Its links lead on directly, and what visitors answered is deleted too.',
    },
    columns: ['Type', 'Made (UTC)'],
    nameOf: ({ name }) => name,
    cellsOf: ({ type, createdAt }) => [
      { text: overlayLabels[type] },
      { text: formatTimestamp(createdAt) },
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
    opens: true,
    list: overlays.list,
    get: overlays.get,
    add: (accountId, values) => overlays.add(accountId, inputOf(values)),
    update: (accountId, id, values) => overlays.update(accountId, id, inputOf(values)),
    remove: overlays.delete,
  }
}

function inputOf({ type = '', name = '', text = '', button, link, image, options = '' }: Values) {
  const choices = linesOf(options)
  return {
    type,
    name,
    text,
    button: button || null,
    link: link?.trim() || null,
    image: image?.trim() || null,
    options: choices.length === 0 ? null : choices,
  }
}
