import type { FormFieldName } from '../../../links/fields.ts'
import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for a field in the form. */
export type FieldText = {
  label: string
  hint?: string
  /** For a time: its second input. */
  time?: { label: string; hint: string }
  /** For rows: the labels of their inputs, examples, and the button that adds a row. */
  row?: {
    labels: { name: string; value: string }
    examples: { name: string; value: string }
    add: string
  }
}

/** Messages for the fields of the link form. */
export const fieldMessages = consoleMessages({
  en: {
    url: { label: 'Destination URL' },
    type: { label: 'Redirect type' },
    rules: { label: 'Targeting' },
    split: {
      label: 'Split',
      hint: 'Divide visitors among 2 to 10 destinations by weight. Rules win over the split.',
      row: {
        labels: { name: 'Destination URL of the variant', value: 'Weight, 1 to 100' },
        examples: { name: 'https://example.com/b', value: '50' },
        add: 'Add variant',
      },
    },
    startsAt: {
      label: 'Starts on',
      hint: 'In UTC. Leave blank to start right away.',
      time: { label: 'Starts at', hint: 'In UTC. Defaults to the beginning of the day.' },
    },
    expiresAt: {
      label: 'Expires on',
      hint: 'In UTC. Leave blank to never expire.',
      time: { label: 'Time', hint: 'In UTC. Defaults to the end of the day.' },
    },
    maxClicks: {
      label: 'Click limit',
      hint: 'The link expires after this many clicks.',
    },
    confirm: {
      label: 'Ask visitors to confirm',
      hint: 'Only pressing a button uses a click, so mail scanners use none.',
    },
    expiredUrl: {
      label: 'Expired link redirect',
      hint: 'Leave blank to show the “expired” page.',
    },
    forwardQuery: {
      label: 'Forward query',
      hint: 'Add the visitor’s query to the destination URL.',
    },
    forwardPath: {
      label: 'Forward path',
      hint: 'Add what follows the alias to the destination URL.',
    },
    metaTitle: { label: 'Title' },
    metaDescription: { label: 'Description' },
    metaImage: { label: 'Image URL', hint: 'JPEG or PNG, 1200 × 630 recommended.' },
    parameters: {
      label: 'Parameters',
      hint: 'Added to the destination URL.',
      row: {
        labels: { name: 'Parameter', value: 'Value' },
        examples: { name: 'ref', value: 'poster' },
        add: 'Add parameter',
      },
    },
  } satisfies Record<FormFieldName, FieldText>,
  de: {
    url: { label: 'Ziel-URL' },
    type: { label: 'Art der Weiterleitung' },
    rules: { label: 'Targeting' },
    split: {
      label: 'Aufteilung',
      hint: 'Besucher nach Gewicht auf 2 bis 10 Ziele aufteilen. Regeln haben Vorrang.',
      row: {
        labels: { name: 'Ziel-URL der Variante', value: 'Gewicht, 1 bis 100' },
        examples: { name: 'https://example.com/b', value: '50' },
        add: 'Variante hinzufügen',
      },
    },
    startsAt: {
      label: 'Startet am',
      hint: 'In UTC. Leer lassen für sofort.',
      time: { label: 'Startet um', hint: 'In UTC. Standard: Tagesbeginn.' },
    },
    expiresAt: {
      label: 'Läuft ab am',
      hint: 'In UTC. Leer lassen: läuft nie ab.',
      time: { label: 'Uhrzeit', hint: 'In UTC. Standard: Tagesende.' },
    },
    maxClicks: {
      label: 'Klicklimit',
      hint: 'Nach so vielen Klicks läuft der Link ab.',
    },
    confirm: {
      label: 'Besucher bestätigen lassen',
      hint: 'Erst eine Schaltfläche verbraucht einen Klick. Mail-Scanner verbrauchen keinen.',
    },
    expiredUrl: {
      label: 'Weiterleitung nach Ablauf',
      hint: 'Leer lassen für den Hinweis „abgelaufen“.',
    },
    forwardQuery: {
      label: 'Query weitergeben',
      hint: 'Query des Besuchers an die Ziel-URL anhängen.',
    },
    forwardPath: {
      label: 'Pfad weitergeben',
      hint: 'Was auf den Alias folgt, an die Ziel-URL anhängen.',
    },
    metaTitle: { label: 'Titel' },
    metaDescription: { label: 'Beschreibung' },
    metaImage: { label: 'Bild-URL', hint: 'JPEG oder PNG, 1200 × 630 empfohlen.' },
    parameters: {
      label: 'Parameter',
      hint: 'Werden an die Ziel-URL angehängt.',
      row: {
        labels: { name: 'Parameter', value: 'Wert' },
        examples: { name: 'ref', value: 'plakat' },
        add: 'Parameter hinzufügen',
      },
    },
  },
})

/** Returns the texts of a field. */
export function getFieldText(name: string): FieldText {
  const texts: Readonly<Record<string, FieldText>> = fieldMessages
  return texts[name] ?? { label: name }
}
