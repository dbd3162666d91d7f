import type { HealthFigures, HealthProblem } from '../../../../operator/health.ts'
import { consoleMessages } from '../../../localization/console-messages.ts'
import { pluralize } from '../../shell/plural.ts'

type FindingText = { problem: (figures: HealthFigures) => string; remedy: string }

/** Messages for the health page: problems with remedies, and the names of its figures. */
export const healthMessages = consoleMessages({
  en: {
    title: 'Health',
    noIssues: 'All systems operational.',
    issues: 'Issues',
    updated: (date: string) => `Updated ${date}. Also available at`,
    live: '● Live · updates every 15 s',
    groups: {
      clicks: 'Clicks',
      database: 'Database',
      store: 'Link store',
      memory: 'Memory and disk',
      mail: 'Email',
      program: 'Program',
    },
    rows: {
      diskFree: 'Free disk space',
      cachedLinks: 'Cached links',
      linkCache: 'Link cache hit rate',
      domainCache: 'Domain cache hit rate',
      countries: 'Country data',
      importer: 'Importer',
      lag: 'Lag',
      pending: 'Pending',
      journal: 'Journal',
      recorded: 'Recorded since start',
      lost: 'Lost since start',
      state: 'State',
      latency: 'Latency',
      size: 'Size',
      connections: 'Connections',
      queued: 'Queued queries',
      waiting: 'Waiting',
      failed: 'Failed in the last week',
      store: 'Link store',
      stored: 'Links stored',
      synced: 'Last in sync',
      workers: 'Workers',
      uptime: 'Uptime',
    },
    of: (part: string, all: string) => `${part} of ${all}`,
    bundled: (date: string) => `bundled, built ${date}`,
    configured: (date: string) => `GEOIP_DB, built ${date}`,
    failingFor: (duration: string) => `failing for ${duration}`,
    works: 'works',
    fails: 'does not work',
    notKnown: 'currently unknown',
    none: 'None',
    answers: 'answers',
    silent: 'does not answer',
    stores: { building: 'building', complete: 'complete', missing: 'missing' },
    ago: (duration: string) => `${duration} ago`,
    findings: {
      clicksLost: {
        problem: ({ clicksLost }) =>
          pluralize(clicksLost, {
            one: '{n} click could not be written to the journal since the start and will not be counted.',
            other:
              '{n} clicks could not be written to the journal since the start and will not be counted.',
          }),
        remedy:
          'The log has the cause: usually the disk of the data folder was full or not writable. Once it is fixed, no more clicks are lost.',
      },
      diskFull: {
        problem: () => 'The disk of the data folder is nearly full.',
        remedy:
          'Free some space: on a full disk, clicks cannot be recorded. Start with files beside the data folder, such as old backups.',
      },
      databaseDown: {
        problem: () => 'The database does not answer.',
        remedy:
          'Known links still redirect and clicks wait in the journal. Check that PostgreSQL is running and that DATABASE_URL is correct. Everything resumes once it answers.',
      },
      databaseSlow: {
        problem: () => 'The database is slow to answer.',
        remedy:
          'Check the load, disk and memory of its machine. A backup or a large import may be running.',
      },
      databaseBusy: {
        problem: () => 'Requests wait for a connection to the database.',
        remedy:
          'This passes after a burst. If it stays, the database is too slow for its load, or WORKERS can be higher.',
      },
      importFailing: {
        problem: ({ importerError }) => `Clicks can’t be imported: ${importerError}`,
        remedy:
          'No clicks are lost: they wait in the journal. The importer keeps trying and catches up by itself once the cause is fixed. On a cluster, check that every worker node is up.',
      },
      importerDown: {
        problem: () =>
          'No importer works on the journal of this machine, so clicks are not counted.',
        remedy:
          'It starts with the service and restarts whenever it ends. The log has its messages. No clicks are lost: they wait in the journal.',
      },
      importerLate: {
        problem: () => 'Clicks are counted late.',
        remedy:
          'After a burst of visits it catches up by itself. If the lag grows, check the log for messages of the importer and whether the database is slow.',
      },
      storeStale: {
        problem: () => 'The link store does not follow changes.',
        remedy:
          'Links redirect correctly but more slowly, and recent changes would be missing if PostgreSQL stopped. Check the log for messages of the importer, which keeps the store up to date.',
      },
      workersMissing: {
        problem: ({ workers, workersExpected }) =>
          `Only ${workers} of ${workersExpected} workers answer.`,
        remedy: 'A worker that ends is restarted. If that does not help, the log has the cause.',
      },
      mailFailed: {
        problem: ({ mailFailed, mailError }) =>
          `${pluralize(mailFailed, {
            one: '{n} email could not be sent in the last week',
            other: '{n} emails could not be sent in the last week',
          })}: ${mailError}`,
        remedy:
          'They were abandoned after several attempts. Check SMTP_URL and MAIL_FROM, and whether the mail server accepts them.',
      },
      mailDelayed: {
        problem: ({ mailError }) => `Email is delayed: ${mailError}`,
        remedy: 'It is sent again at growing intervals. Check SMTP_URL and the mail server.',
      },
    } satisfies Record<HealthProblem, FindingText>,
  },
  de: {
    title: 'Systemzustand',
    noIssues: 'Alle Systeme arbeiten.',
    issues: 'Probleme',
    updated: (date) => `Stand: ${date}. Auch verfügbar unter`,
    live: '● Live · alle 15 s aktualisiert',
    groups: {
      clicks: 'Klicks',
      database: 'Datenbank',
      store: 'Linkspeicher',
      memory: 'Speicher',
      mail: 'E-Mail',
      program: 'Programm',
    },
    rows: {
      diskFree: 'Freier Speicherplatz',
      cachedLinks: 'Links im Cache',
      linkCache: 'Trefferquote Link-Cache',
      domainCache: 'Trefferquote Domain-Cache',
      countries: 'Länderdaten',
      importer: 'Importer',
      lag: 'Verzögerung',
      pending: 'Ausstehend',
      journal: 'Journal',
      recorded: 'Erfasst seit dem Start',
      lost: 'Verloren seit dem Start',
      state: 'Status',
      latency: 'Antwortzeit',
      size: 'Größe',
      connections: 'Verbindungen',
      queued: 'Wartende Abfragen',
      waiting: 'Ausstehend',
      failed: 'Fehlgeschlagen in der letzten Woche',
      store: 'Linkspeicher',
      stored: 'Gespeicherte Links',
      synced: 'Zuletzt synchron',
      workers: 'Worker',
      uptime: 'Laufzeit',
    },
    of: (part, all) => `${part} von ${all}`,
    bundled: (date) => `mitgeliefert, Stand ${date}`,
    configured: (date) => `GEOIP_DB, Stand ${date}`,
    failingFor: (duration) => `schlägt seit ${duration} fehl`,
    works: 'arbeitet',
    fails: 'arbeitet nicht',
    notKnown: 'zurzeit unbekannt',
    none: 'Keine',
    answers: 'antwortet',
    silent: 'antwortet nicht',
    stores: { building: 'wird aufgebaut', complete: 'vollständig', missing: 'fehlt' },
    ago: (duration) => `vor ${duration}`,
    findings: {
      clicksLost: {
        problem: ({ clicksLost }) =>
          pluralize(clicksLost, {
            one: 'Seit dem Start konnte {n} Klick nicht ins Journal geschrieben werden. Er wird nicht gezählt.',
            other:
              'Seit dem Start konnten {n} Klicks nicht ins Journal geschrieben werden. Sie werden nicht gezählt.',
          }),
        remedy:
          'Die Ursache steht im Log: Meist war das Laufwerk des Datenordners voll oder schreibgeschützt. Danach gehen keine Klicks mehr verloren.',
      },
      diskFull: {
        problem: () => 'Das Laufwerk des Datenordners ist fast voll.',
        remedy:
          'Schaffen Sie Platz: Auf einem vollen Laufwerk werden keine Klicks erfasst. Beginnen Sie mit Dateien neben dem Datenordner, etwa alten Backups.',
      },
      databaseDown: {
        problem: () => 'Die Datenbank antwortet nicht.',
        remedy:
          'Bekannte Links funktionieren weiter, und Klicks warten im Journal. Prüfen Sie, ob PostgreSQL läuft und DATABASE_URL stimmt. Danach läuft alles von selbst weiter.',
      },
      databaseSlow: {
        problem: () => 'Die Datenbank antwortet langsam.',
        remedy:
          'Prüfen Sie Last, Laufwerk und Arbeitsspeicher ihres Rechners. Vielleicht läuft ein Backup oder ein großer Import.',
      },
      databaseBusy: {
        problem: () => 'Anfragen warten auf eine Verbindung zur Datenbank.',
        remedy:
          'Nach einem Ansturm gibt sich das. Bleibt es so, ist die Datenbank zu langsam für ihre Last, oder WORKERS kann höher sein.',
      },
      importFailing: {
        problem: ({ importerError }) => `Klicks können nicht importiert werden: ${importerError}`,
        remedy:
          'Es gehen keine Klicks verloren, sie warten im Journal. Der Importer versucht es weiter und holt auf, sobald die Ursache behoben ist. Prüfen Sie in einem Cluster, ob jeder Worker-Knoten läuft.',
      },
      importerDown: {
        problem: () =>
          'Kein Importer bearbeitet das Journal dieses Rechners, deshalb werden keine Klicks gezählt.',
        remedy:
          'Er startet mit dem Dienst und nach jedem Ende neu. Seine Meldungen stehen im Log. Es gehen keine Klicks verloren, sie warten im Journal.',
      },
      importerLate: {
        problem: () => 'Klicks werden verspätet gezählt.',
        remedy:
          'Nach einem Ansturm holt er von selbst auf. Wächst die Verzögerung, prüfen Sie im Log die Meldungen des Importers und ob die Datenbank langsam ist.',
      },
      storeStale: {
        problem: () => 'Der Linkspeicher folgt den Änderungen nicht.',
        remedy:
          'Links funktionieren, aber langsamer. Fällt PostgreSQL aus, fehlen die letzten Änderungen. Prüfen Sie im Log die Meldungen des Importers, der den Linkspeicher aktuell hält.',
      },
      workersMissing: {
        problem: ({ workers, workersExpected }) =>
          `Nur ${workers} von ${workersExpected} Workern antworten.`,
        remedy: 'Ein beendeter Worker startet neu. Hilft das nicht, steht die Ursache im Log.',
      },
      mailFailed: {
        problem: ({ mailFailed, mailError }) =>
          `${pluralize(mailFailed, {
            one: '{n} E-Mail konnte in der letzten Woche nicht gesendet werden',
            other: '{n} E-Mails konnten in der letzten Woche nicht gesendet werden',
          })}: ${mailError}`,
        remedy:
          'Nach mehreren Versuchen wurde abgebrochen. Prüfen Sie SMTP_URL und MAIL_FROM und ob der Mailserver die E-Mails annimmt.',
      },
      mailDelayed: {
        problem: ({ mailError }) => `E-Mails sind verzögert: ${mailError}`,
        remedy:
          'Sie werden in wachsenden Abständen erneut gesendet. Prüfen Sie SMTP_URL und den Mailserver.',
      },
    },
  },
})
