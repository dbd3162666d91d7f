import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for pixels. */
export const pixelMessages = consoleMessages({
  en: {
    words: {
      many: 'Pixels',
      new: 'New pixel',
      none: 'No pixels yet.',
      about: 'Fire ad or analytics pixels when your links are clicked.',
      deletion: 'Removed from all links.',
    },
    type: 'Type',
    tag: 'Pixel ID',
    tagHint: 'From your provider.',
  },
  de: {
    words: {
      many: 'Pixel',
      new: 'Neues Pixel',
      none: 'Noch keine Pixel.',
      about: 'Werbe- oder Statistik-Pixel auslösen, wenn Links angeklickt werden.',
      deletion: 'Das Pixel wird von allen Links entfernt.',
    },
    type: 'Typ',
    tag: 'Pixel-ID',
    tagHint: 'Vom Anbieter.',
  },
})
