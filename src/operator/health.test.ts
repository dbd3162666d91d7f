import { expect, test } from 'vitest'
import { type HealthFigures, judgeHealth } from './health.ts'

const GIB = 2 ** 30

const well: HealthFigures = {
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
  databaseAnswer: 0.004,
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

test('reports nothing if all is well or unknown', () => {
  expect(judgeHealth(well)).toEqual([])
  const unknown = Object.fromEntries(Object.keys(well).map((name) => [name, Number.NaN]))
  expect(judgeHealth({ ...well, ...unknown, importerError: '', mailError: '' })).toEqual([])
})

test.for([
  [{ clicksLost: 1 }, '1 click could not be written'],
  [{ clicksLost: 12 }, '12 clicks could not be written'],
  [{ diskFree: GIB - 1 }, 'nearly full'],
  [{ diskFree: 4 * GIB }, 'nearly full'],
  [{ databaseUp: 0, databaseAnswer: Number.NaN }, 'does not answer'],
  [{ databaseAnswer: 0.51 }, 'slow to answer'],
  [{ requestsWaiting: 1 }, 'wait for a connection'],
  [{ importerUp: 0 }, 'No importer works'],
  [{ lag: 61 }, 'counted late'],
  [{ importerFailing: 60, importerError: 'no such table', importerUp: 0 }, 'no such table'],
  [
    { mailFailed: 1, mailError: 'rejected' },
    '1 email could not be sent in the last week: rejected',
  ],
  [{ mailFailed: 2 }, '2 emails could not be sent'],
  [{ mailWaiting: 1, mailError: 'no server' }, 'Email is delayed: no server'],
  [{ storeLag: 31 }, 'does not follow changes'],
  [{ workers: 1 }, 'Only 1 of 2 workers answer.'],
] as const)('reports %j with a remedy', ([bad, text]) => {
  const findings = judgeHealth({ ...well, ...bad })
  expect(findings).toEqual([
    { problem: expect.stringContaining(text), remedy: expect.stringMatching(/^.{40,}\.$/) },
  ])
})

test('an unavailable database explains a missing importer', () => {
  const away = { ...well, databaseUp: 0, importerUp: 0, lag: 900, clicksLost: 3 }
  expect(judgeHealth(away).map(({ problem }) => problem)).toEqual([
    expect.stringContaining('3 clicks could not'),
    'The database does not answer.',
  ])
})
