import { consoleMessages } from '../../localization/console-messages.ts'

export const liveMessages = consoleMessages({
  en: {
    visitors: 'Visitors in the last 5 minutes:',
    unknown: '–',
    live: '● Live',
    paused: '○ Live updates are paused. Next attempt in a minute.',
  },
  de: {
    visitors: 'Besucher in den letzten 5 Minuten:',
    unknown: '–',
    live: '● Live',
    paused: '○ Live-Aktualisierung pausiert. Nächster Versuch in einer Minute.',
  },
})
