import type { ItemType } from '../../../channels/channel.ts'
import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for channels. */
export const channelMessages = consoleMessages({
  en: {
    words: {
      many: 'Channels',
      new: 'New channel',
      none: 'No channels yet.',
      about: 'Group links, bio pages and QR codes, for example by social network.',
      deletion: 'Its items are kept.',
    },
    description: 'Description',
    color: 'Color',
    colorHint: 'For example #0b6b5a.',
    starred: 'Starred',
    isStarred: '★ Starred',
    notStarred: 'No',
    items: 'Items',
    noItems: 'No items yet.',
    name: 'Name',
    type: 'Type',
    url: 'URL',
    types: { links: 'Link', bio: 'Bio page', qr: 'QR code' } satisfies Record<ItemType, string>,
    choices: { bio: 'Bio pages', qr: 'QR codes' },
    addItem: 'Add bio page or QR code',
    itemMissing: 'Select an item.',
  },
  de: {
    words: {
      many: 'Kanäle',
      new: 'Neuer Kanal',
      none: 'Noch keine Kanäle.',
      about: 'Links, Bio-Seiten und QR-Codes gruppieren, etwa nach sozialem Netzwerk.',
      deletion: 'Die Inhalte bleiben erhalten.',
    },
    description: 'Beschreibung',
    color: 'Farbe',
    colorHint: 'Zum Beispiel #0b6b5a.',
    starred: 'Markiert',
    isStarred: '★ Markiert',
    notStarred: 'Nein',
    items: 'Inhalte',
    noItems: 'Noch keine Inhalte.',
    name: 'Name',
    type: 'Typ',
    url: 'URL',
    types: { links: 'Link', bio: 'Bio-Seite', qr: 'QR-Code' },
    choices: { bio: 'Bio-Seiten', qr: 'QR-Codes' },
    addItem: 'Bio-Seite oder QR-Code hinzufügen',
    itemMissing: 'Einen Inhalt auswählen.',
  },
})
