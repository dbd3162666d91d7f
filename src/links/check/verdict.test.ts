import { expect, test } from 'vitest'
import { evaluateResponse } from './verdict.ts'

const now = new Date('2026-11-23T12:00:00Z')
const WORKS = { kind: 'works' }
const checkLater = (delayMs: number, problem?: string) => ({ kind: 'later', delayMs, problem })

test.for([
  [200, '', WORKS],
  [204, '', WORKS],
  [304, '', WORKS],
  [400, '', WORKS],
  [401, '', WORKS],
  [403, '', WORKS],
  [405, '', WORKS],
  [418, '', WORKS],
  [404, '', { kind: 'fails', problem: 'not_found' }],
  [410, '', { kind: 'fails', problem: 'not_found' }],
  [500, '', { kind: 'fails', problem: 'server_error' }],
  [502, '120', { kind: 'fails', problem: 'server_error' }],
  [503, '', { kind: 'fails', problem: 'server_error' }],
  [503, '120', checkLater(120_000, 'server_error')],
  [503, '1', checkLater(60_000, 'server_error')],
  [503, 'Mon, 23 Nov 2026 12:10:00 GMT', checkLater(600_000, 'server_error')],
  [503, '99999999', checkLater(86_400_000, 'server_error')],
  [429, '', checkLater(3_600_000)],
  [429, '300', checkLater(300_000)],
  [429, 'soon', checkLater(3_600_000)],
] as const)(
  'the status %i with retry-after "%s" has the verdict %o',
  ([status, retryAfter, verdict]) => {
    expect(evaluateResponse({ status, retryAfter }, now)).toEqual(verdict)
  },
)
