import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for the admin's lookup of links. */
export const linkMessages = consoleMessages({
  en: {
    title: 'Find a link',
    intro: 'Look up any short link to see its owner and destination, or disable it.',
    url: 'Short link or alias',
    lookUp: 'Look up',
    suspended: '(suspended)',
    backing: { code: 'QR code link', bio: 'Button of a bio page' },
    invalidReason: (error: string) => `Invalid reason: ${error}`,
    hosts: 'Destination hosts',
    isBlocked: 'is blocked.',
    areBlocked: 'are blocked.',
    blockText: 'New links to blocked hosts are rejected and existing ones show a warning.',
    block: (host: string) => `Block the host ${host}`,
    blockOptions: (host: string) => `Block ${host} with options …`,
    enable: 'Enable link',
    disable: 'Disable link',
    reasonHint: 'The owner sees this and can’t re-enable the link.',
    reserved: 'No link has this alias. It is reserved: see Held links.',
    done: {
      disabled: 'Link disabled. Visitors see a “disabled” page.',
      enabled: 'Link enabled.',
      blocked: 'Host blocked for all links.',
    },
  },
  de: {
    title: 'Link suchen',
    intro:
      'Einen beliebigen Kurzlink suchen, um Inhaber und Ziel zu sehen oder ihn zu deaktivieren.',
    url: 'Kurzlink oder Alias',
    lookUp: 'Suchen',
    suspended: '(gesperrt)',
    backing: { code: 'Link eines QR-Codes', bio: 'Button einer Bio-Seite' },
    invalidReason: (error) => `Ungültiger Grund: ${error}`,
    hosts: 'Hosts der Ziele',
    isBlocked: 'ist gesperrt.',
    areBlocked: 'sind gesperrt.',
    blockText: 'Neue Links zu gesperrten Hosts werden abgelehnt, bestehende zeigen eine Warnung.',
    block: (host) => `Host ${host} sperren`,
    blockOptions: (host) => `${host} mit Optionen sperren …`,
    enable: 'Link aktivieren',
    disable: 'Link deaktivieren',
    reasonHint: 'Der Inhaber sieht ihn und kann den Link nicht wieder aktivieren.',
    reserved: 'Kein Link hat diesen Alias. Er ist reserviert, siehe „Reservierte Links“.',
    done: {
      disabled: 'Link deaktiviert. Besucher sehen die Seite „Link deaktiviert“.',
      enabled: 'Link aktiviert.',
      blocked: 'Host für alle Links gesperrt.',
    },
  },
})
