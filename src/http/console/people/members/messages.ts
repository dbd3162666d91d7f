import { consoleMessages } from '../../../localization/console-messages.ts'

/** The names of the roles of members. */
export const roleNames = consoleMessages({
  en: { owner: 'Owner', editor: 'Editor', viewer: 'Viewer' },
  de: { owner: 'Inhaber', editor: 'Bearbeiter', viewer: 'Betrachter' },
})

/** Messages for the members of an account and their invitations. */
export const memberMessages = consoleMessages({
  en: {
    title: 'Members',
    done: {
      invited: 'Invitation sent.',
      role: 'Role changed.',
      removed: 'Member removed.',
      withdrawn: 'Invitation withdrawn. Its link no longer works.',
    },
    membersOf: (account: string) => `Members of ${account}`,
    since: 'Since',
    role: 'Role',
    expires: 'Expires',
    you: 'You',
    change: 'Change',
    makeOwner: 'Promote to owner',
    saveRole: 'Save role',
    remove: 'Remove',
    inviteTitle: 'Invite someone',
    roleHint: 'Editors manage links. Viewers only read. Owners do everything.',
    inviteOwnerHint: 'Required to invite an owner.',
    invite: 'Invite',
    openInvitations: 'Open invitations',
    newLink: 'New link',
    newLinkFor: (email: string) => `for ${email}`,
    withdraw: 'Withdraw',
    withdrawOf: (email: string) => `the invitation of ${email}`,
    invitation: 'Invitation',
    invitationFor: (email: string) => `Invitation for ${email}`,
    send: (email: string) => `Send this link to ${email}`,
    sendHint:
      "Copy it now. You won't be able to see it again. It works once, within 7 days, for whoever has it.",
    doneButton: 'Done',
  },
  de: {
    title: 'Mitglieder',
    done: {
      invited: 'Einladung gesendet.',
      role: 'Rolle geändert.',
      removed: 'Mitglied entfernt.',
      withdrawn: 'Einladung zurückgezogen. Ihr Link funktioniert nicht mehr.',
    },
    membersOf: (account) => `Mitglieder von ${account}`,
    since: 'Seit',
    role: 'Rolle',
    expires: 'Gültig bis',
    you: 'Sie',
    change: 'Ändern',
    makeOwner: 'Zum Inhaber machen',
    saveRole: 'Rolle speichern',
    remove: 'Entfernen',
    inviteTitle: 'Mitglied einladen',
    roleHint: 'Bearbeiter verwalten Links. Betrachter lesen nur. Inhaber dürfen alles.',
    inviteOwnerHint: 'Nötig, um einen Inhaber einzuladen.',
    invite: 'Einladen',
    openInvitations: 'Offene Einladungen',
    newLink: 'Neuer Link',
    newLinkFor: (email) => `für ${email}`,
    withdraw: 'Zurückziehen',
    withdrawOf: (email) => `(Einladung von ${email})`,
    invitation: 'Einladung',
    invitationFor: (email) => `Einladung für ${email}`,
    send: (email) => `Diesen Link an ${email} senden`,
    sendHint:
      'Kopieren Sie ihn jetzt, er wird nicht noch einmal angezeigt. Er gilt einmal, 7 Tage lang, für jeden, der ihn hat.',
    doneButton: 'Fertig',
  },
})
