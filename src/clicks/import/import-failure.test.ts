import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { createClock } from '../../../test/support/clock.ts'
import { folderTest } from '../../../test/support/test.ts'
import { createFailureRecord, describeError, readImportFailure } from './import-failure.ts'

const test = folderTest()

test('the first time and last error of a failure are recorded across processes until an import succeeds', ({
  folder,
}) => {
  const clock = createClock()
  const since = clock().getTime()
  const record = createFailureRecord({ dir: folder, clock })
  record.recordSuccess()
  expect(readImportFailure(folder)).toBeUndefined()
  record.recordFailure(new Error('first'))
  record.recordFailure(new Error('first'))
  clock.advance(30)
  expect(readImportFailure(folder)).toEqual({ since, error: 'first' })
  const otherProcess = createFailureRecord({ dir: folder, clock })
  otherProcess.recordFailure('second')
  expect(readImportFailure(folder)).toEqual({ since, error: 'second' })
  otherProcess.recordSuccess()
  expect(readImportFailure(folder)).toBeUndefined()
})

test('the record of import failures ignores a missing folder and a damaged file', ({ folder }) => {
  const record = createFailureRecord({ dir: join(folder, 'missing'), clock: createClock() })
  expect(() => record.recordFailure(new Error('disk full'))).not.toThrow()
  writeFileSync(join(folder, 'import-failure.json'), '{"since":')
  expect(readImportFailure(folder)).toBeUndefined()
})

test.for([
  [
    'cannot reach postgres://user:hunter2@db.internal:5432/brevis',
    'cannot reach postgres://***@db.internal:5432/brevis',
  ],
  ['postgres://user:p@ss@db/brevis is down', 'postgres://***@db/brevis is down'],
  ['host=db user=brevis password=hunter2 failed', 'host=db user=brevis password=*** failed'],
  ['refused\n\tIs the server running?', 'refused Is the server running?'],
  ['x'.repeat(1000), 'x'.repeat(300)],
] as const)(
  'the record of import failures describes %s on one line without secrets',
  ([message, description]) => {
    expect(describeError(new Error(message))).toBe(description)
  },
)
