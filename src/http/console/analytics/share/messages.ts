import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for public pages with statistics. */
export const shareMessages = consoleMessages({
  en: {
    menu: 'Public page',
    on: 'Public page: on',
    about: 'Anyone with the URL can see these statistics, without signing in.',
    create: 'Create public page',
    revoke: 'Revoke public page',
    revokeHint: 'The URL stops working immediately.',
    title: 'Statistics of {name}',
    footer: 'Shared with Brevis',
  },
  de: {
    menu: 'Öffentliche Seite',
    on: 'Öffentliche Seite: aktiv',
    about: 'Wer die URL kennt, sieht diese Statistik ohne Anmeldung.',
    create: 'Öffentliche Seite erstellen',
    revoke: 'Freigabe aufheben',
    revokeHint: 'Die URL funktioniert dann sofort nicht mehr.',
    title: 'Statistik von {name}',
    footer: 'Geteilt mit Brevis',
  },
})
