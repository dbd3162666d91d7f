import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for deleted links whose aliases and destinations stay reserved. */
export const heldLinkMessages = consoleMessages({
  en: {
    title: 'Held links',
    intro:
      'Links that were deleted while they were reported or disabled by an admin. Their aliases and their owners’ links to the same destinations stay reserved until you decide.',
    filterLabel: 'Filter holds',
    open: 'Open',
    confirmed: 'Confirmed',
    confirmedBy: (date: string, admin: string) => `${date} by ${admin}`,
    earlierAliases: 'Earlier aliases',
    accountDeleted: (username: string) => `${username} (account deleted)`,
    disabled: 'Disabled',
    reportedAs: 'Reported as',
    period: (first: string, last: string) => `${first} to ${last}`,
    deleted: 'Deleted',
    block: (host: string) => `Block ${host} …`,
    confirm: 'Confirm hold',
    release: 'Release',
    noneConfirmed: 'No confirmed holds',
    noneConfirmedText: 'Aliases and destinations that you decide to keep reserved appear here.',
    noneOpen: 'No open holds',
    noneOpenText: 'When a disabled or reported link is deleted, it appears here.',
    done: {
      confirm: 'Hold confirmed. The alias and the destination stay reserved.',
      release: 'Released. The alias and the destination can be used again.',
    },
  },
  de: {
    title: 'Reservierte Links',
    intro:
      'Links, die gelöscht wurden, während sie gemeldet oder von der Verwaltung deaktiviert waren. Ihr Alias und Links ihrer Inhaber zu denselben Zielen bleiben reserviert, bis Sie entscheiden.',
    filterLabel: 'Auswahl der Reservierungen',
    open: 'Offen',
    confirmed: 'Bestätigt',
    confirmedBy: (date, admin) => `${date} von ${admin}`,
    earlierAliases: 'Frühere Aliasse',
    accountDeleted: (username) => `${username} (Konto gelöscht)`,
    disabled: 'Deaktiviert',
    reportedAs: 'Gemeldet als',
    period: (first, last) => `${first} bis ${last}`,
    deleted: 'Gelöscht',
    block: (host) => `${host} sperren …`,
    confirm: 'Reservierung bestätigen',
    release: 'Freigeben',
    noneConfirmed: 'Keine bestätigten Reservierungen',
    noneConfirmedText:
      'Hier stehen Aliasse und Ziele, die auf Ihre Entscheidung reserviert bleiben.',
    noneOpen: 'Keine offenen Reservierungen',
    noneOpenText: 'Wird ein deaktivierter oder gemeldeter Link gelöscht, erscheint er hier.',
    done: {
      confirm: 'Reservierung bestätigt. Alias und Ziel bleiben reserviert.',
      release: 'Freigegeben. Alias und Ziel können wieder verwendet werden.',
    },
  },
})
