import type { UtmName } from '../../../../utm/utm.ts'
import { consoleMessages } from '../../../localization/console-messages.ts'
import type { FieldText } from '../field-messages.ts'

/** Messages for the UTM parameters and their templates. */
export const utmMessages = consoleMessages({
  en: {
    hint: 'Analytics tools read these parameters from the destination URL.',
    fields: {
      utm_source: { label: 'Source', hint: 'newsletter, google' },
      utm_medium: { label: 'Medium', hint: 'email, cpc, social' },
      utm_campaign: { label: 'Campaign', hint: 'spring_sale' },
      utm_term: { label: 'Term', hint: 'Paid search keywords' },
      utm_content: { label: 'Content', hint: 'Tells apart links of one ad' },
    } satisfies Record<UtmName, FieldText>,
    template: 'UTM template',
    apply: 'Apply template',
    delete: 'Delete template',
    name: 'Template name',
    save: 'Create template',
    applied: 'Template applied',
    saved: 'Template saved',
    deleted: 'Template deleted',
  },
  de: {
    hint: 'Analysewerkzeuge lesen diese Parameter aus der Ziel-URL.',
    fields: {
      utm_source: { label: 'Quelle', hint: 'newsletter, google' },
      utm_medium: { label: 'Medium', hint: 'email, cpc, social' },
      utm_campaign: { label: 'Kampagne', hint: 'fruehlingsaktion' },
      utm_term: { label: 'Suchbegriff', hint: 'Bezahlte Suchbegriffe' },
      utm_content: { label: 'Inhalt', hint: 'Unterscheidet Links einer Anzeige' },
    },
    template: 'UTM-Vorlage',
    apply: 'Vorlage anwenden',
    delete: 'Vorlage löschen',
    name: 'Name der Vorlage',
    save: 'Vorlage erstellen',
    applied: 'Vorlage angewendet',
    saved: 'Vorlage gespeichert',
    deleted: 'Vorlage gelöscht',
  },
})
