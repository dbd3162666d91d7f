import { consoleMessages } from '../../../localization/console-messages.ts'

/** Messages for unsubscribing from email reports. */
export const unsubscribeMessages = consoleMessages({
  en: {
    title: 'Email reports',
    question: 'Stop these reports?',
    hint: 'You can turn them on again in your settings.',
    unsubscribe: 'Unsubscribe',
    done: 'You’re unsubscribed',
    doneHint: 'You won’t get this report anymore.',
  },
  de: {
    title: 'E-Mail-Berichte',
    question: 'Diese Berichte abbestellen?',
    hint: 'In Ihren Einstellungen können Sie sie wieder aktivieren.',
    unsubscribe: 'Abbestellen',
    done: 'Abbestellt',
    doneHint: 'Sie erhalten diesen Bericht nicht mehr.',
  },
})
