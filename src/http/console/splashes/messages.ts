import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for splash pages. */
export const splashMessages = consoleMessages({
  en: {
    words: {
      many: 'Splash pages',
      new: 'New splash page',
      none: 'No splash pages yet.',
      about: 'An interstitial page shown before the destination.',
      deletion: 'Links using it fall back to the default page.',
    },
    heading: 'Heading',
    message: 'Message',
    image: 'Image URL',
    link: 'Image link',
    seconds: 'Auto-continue after (seconds)',
    secondsHint: 'Leave blank to wait for a click.',
    sampleHeading: 'The heading',
    sampleMessage: 'The message',
  },
  de: {
    words: {
      many: 'Zwischenseiten',
      new: 'Neue Zwischenseite',
      none: 'Noch keine Zwischenseiten.',
      about: 'Eine Seite, die vor dem Ziel angezeigt wird.',
      deletion: 'Links mit dieser Seite zeigen stattdessen die Standardseite.',
    },
    heading: 'Überschrift',
    message: 'Nachricht',
    image: 'Bild-URL',
    link: 'Link des Bildes',
    seconds: 'Automatisch weiter nach (Sekunden)',
    secondsHint: 'Leer lassen, um auf einen Klick zu warten.',
    sampleHeading: 'Die Überschrift',
    sampleMessage: 'Die Nachricht',
  },
})
