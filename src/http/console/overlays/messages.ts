import { html, type SafeHtml } from '@remix-run/html-template'
import type { Overlay } from '../../../overlays/overlay.ts'
import { consoleMessages } from '../../localization/console-messages.ts'

type Types = Readonly<Record<Overlay['type'], string>>

/** Messages for overlays and the responses to them. */
export const overlayMessages = consoleMessages({
  en: {
    words: {
      many: 'Overlays',
      new: 'New overlay',
      none: 'No overlays yet.',
      about: 'Show a message, image, form or poll on top of the destination page.',
      deletion: 'Links using it redirect directly. Responses are deleted.',
    },
    type: 'Type',
    types: {
      contact: 'Contact form',
      poll: 'Poll',
      message: 'Message',
      newsletter: 'Newsletter form',
      image: 'Image',
    } satisfies Types,
    text: 'Text',
    textHint: 'The first line is the heading.',
    button: 'Button text',
    link: 'Link URL',
    image: 'Image URL',
    options: 'Poll options',
    optionsHint: 'One per line, 2–20. Leave blank for Yes/No.',
    defaultOptions: ['Yes', 'No'],
    sampleText: 'The first line of the text is the heading',
    preview: 'Preview',
    destination: 'Destination page',
    shownBy: (type: string, linkType: SafeHtml) =>
      html`${type}. Links show it with the type ${linkType}.`,
    responses: 'Responses',
    noResponses: 'No responses yet.',
    latest: 'Latest responses',
    exportCsv: 'Export CSV',
    when: 'When',
    votes: 'Votes',
    voteCount: { one: '{n} vote', other: '{n} votes' },
    /** Labels of the fields of a response. */
    answers: { choice: 'Choice', email: 'Email', name: 'Name', message: 'Message' },
  },
  de: {
    words: {
      many: 'Overlays',
      new: 'Neues Overlay',
      none: 'Noch keine Overlays.',
      about:
        'Eine Nachricht, ein Bild, ein Formular oder eine Umfrage über der Zielseite anzeigen.',
      deletion: 'Links mit diesem Overlay leiten direkt weiter. Die Antworten werden gelöscht.',
    },
    type: 'Typ',
    types: {
      contact: 'Kontaktformular',
      poll: 'Umfrage',
      message: 'Nachricht',
      newsletter: 'Newsletter-Anmeldung',
      image: 'Bild',
    },
    text: 'Text',
    textHint: 'Die erste Zeile ist die Überschrift.',
    button: 'Text der Schaltfläche',
    link: 'Link-URL',
    image: 'Bild-URL',
    options: 'Antwortmöglichkeiten',
    optionsHint: 'Eine pro Zeile, 2 bis 20. Leer lassen für Ja/Nein.',
    defaultOptions: ['Ja', 'Nein'],
    sampleText: 'Die erste Zeile des Textes ist die Überschrift',
    preview: 'Vorschau',
    destination: 'Zielseite',
    shownBy: (type, linkType) =>
      html`${type}. Links zeigen dieses Overlay mit dem Typ ${linkType}.`,
    responses: 'Antworten',
    noResponses: 'Noch keine Antworten.',
    latest: 'Neueste Antworten',
    exportCsv: 'Als CSV exportieren',
    when: 'Zeitpunkt',
    votes: 'Stimmen',
    voteCount: { one: '{n} Stimme', other: '{n} Stimmen' },
    answers: { choice: 'Auswahl', email: 'E-Mail', name: 'Name', message: 'Nachricht' },
  },
})
