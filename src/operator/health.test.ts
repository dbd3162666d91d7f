import { expect, test } from 'vitest'
import { findHealthProblems, type HealthFigures } from './health.ts'

const GIB = 2 ** 30

const healthy: HealthFigures = {
  importerUp: 1,
  importerFailing: 0,
  importerError: '',
  lag: 2,
  waitingBytes: 4000,
  journalBytes: 10_000,
  clicksJournalled: 500,
  clicksLost: 0,
  storedLinks: 40,
  storeBuilding: 0,
  storeLag: 0.5,
  databaseUp: 1,
  databaseResponseTime: 0.004,
  databaseBytes: GIB,
  connections: 3,
  requestsWaiting: 0,
  diskFree: 20 * GIB,
  diskSize: 100 * GIB,
  mailWaiting: 0,
  mailFailed: 0,
  mailError: '',
  workers: 2,
  workersExpected: 2,
}

test('no problem is reported if all values are normal or unknown', () => {
  expect(findHealthProblems(healthy)).toEqual([])
  const unknown = Object.fromEntries(Object.keys(healthy).map((name) => [name, Number.NaN]))
  expect(findHealthProblems({ ...healthy, ...unknown, importerError: '', mailError: '' })).toEqual(
    [],
  )
})

test.for([
  [{ clicksLost: 1 }, 'clicksLost'],
  [{ diskFree: GIB - 1 }, 'diskFull'],
  [{ diskFree: 4 * GIB }, 'diskFull'],
  [{ databaseUp: 0, databaseResponseTime: Number.NaN }, 'databaseDown'],
  [{ databaseResponseTime: 0.51 }, 'databaseSlow'],
  [{ requestsWaiting: 1 }, 'databaseBusy'],
  [{ importerUp: 0 }, 'importerDown'],
  [{ lag: 61 }, 'importerLate'],
  [{ importerFailing: 60, importerError: 'no such table', importerUp: 0 }, 'importFailing'],
  [{ mailFailed: 1, mailError: 'rejected' }, 'mailFailed'],
  [{ mailWaiting: 1, mailError: 'no server' }, 'mailDelayed'],
  [{ storeLag: 31 }, 'storeStale'],
  [{ workers: 1 }, 'workersMissing'],
] as const)('a problem is found in %j', ([figures, problem]) => {
  expect(findHealthProblems({ ...healthy, ...figures })).toEqual([problem])
})

test('an unavailable database is reported without also reporting the importer', () => {
  const down = { ...healthy, databaseUp: 0, importerUp: 0, lag: 900, clicksLost: 3 }
  expect(findHealthProblems(down)).toEqual(['clicksLost', 'databaseDown'])
})
