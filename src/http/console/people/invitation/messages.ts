import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for the page of an invitation link. */
export const invitationMessages = consoleMessages({
  en: {
    title: 'Invitation',
    join: (account: string) => `Join ${account}`,
    intro: (role: string) =>
      `You've been invited to work in this account as ${role.toLowerCase()}.`,
    otherEmail: (email: string) =>
      `The invitation was sent to ${email}. To join as someone else, sign out first.`,
    joinAs: (email: string) => `You'll join as ${email}.`,
    accept: 'Accept invitation',
    signInAs: (email: string) => `Sign in as ${email}.`,
    createPassword: (email: string) => `Create a password for ${email}.`,
  },
  de: {
    title: 'Einladung',
    join: (account) => `${account} beitreten`,
    intro: (role) => `Sie sind eingeladen, in diesem Konto mitzuarbeiten. Ihre Rolle: ${role}.`,
    otherEmail: (email) =>
      `Die Einladung ging an ${email}. Um mit einer anderen Adresse beizutreten, melden Sie sich zuerst ab.`,
    joinAs: (email) => `Sie treten als ${email} bei.`,
    accept: 'Einladung annehmen',
    signInAs: (email) => `Anmelden als ${email}.`,
    createPassword: (email) => `Legen Sie ein Passwort für ${email} fest.`,
  },
})
