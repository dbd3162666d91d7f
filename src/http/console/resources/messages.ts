import { html, type SafeHtml } from '@remix-run/html-template'
import { consoleMessages } from '../shell/console-messages.ts'

/** Texts of the lists and forms of all kinds of resources. */
export const resourceMessages = consoleMessages({
  en: {
    name: 'Name',
    actions: 'Actions',
    edit: 'Edit',
    editNamed: (name: string) => `Edit ${name}`,
    delete: 'Delete',
    deleteNamed: (name: string) => `Delete ${name}`,
    askToDelete: (name: SafeHtml) => html`Delete ${name}?`,
    permanent: 'This cannot be undone.',
    createOne: 'Create one',
    save: 'Save',
    cancel: 'Cancel',
  },
  de: {
    name: 'Name',
    actions: 'Aktionen',
    edit: 'Bearbeiten',
    editNamed: (name) => `${name} bearbeiten`,
    delete: 'Löschen',
    deleteNamed: (name) => `${name} löschen`,
    askToDelete: (name) => html`${name} löschen?`,
    permanent: 'Das lässt sich nicht rückgängig machen.',
    createOne: 'Jetzt erstellen',
    save: 'Speichern',
    cancel: 'Abbrechen',
  },
})
