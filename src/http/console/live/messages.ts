import { consoleMessages } from '../../localization/console-messages.ts'

/** Messages for live statistics. */
export const liveMessages = consoleMessages({
  en: {
    visitors: 'Visitors in the last 5 minutes:',
    /** Shown until the number of visitors is known. */
    unknown: '–',
    live: '● Live',
    paused: '○ Live updates are paused. Next attempt in a minute.',
  },
  de: {
    visitors: 'Besucher in den letzten 5 Minuten:',
    /** Shown until the number of visitors is known. */
    unknown: '–',
    live: '● Live',
    paused: '○ Live-Aktualisierung pausiert. Nächster Versuch in einer Minute.',
  },
})
