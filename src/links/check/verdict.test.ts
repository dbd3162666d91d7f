import { expect, test } from 'vitest'
import { evaluateResponse } from './verdict.ts'

const now = new Date('2026-11-23T12:00:00Z')
const works = { kind: 'works' }
const later = (delayMs: number, problem?: string) => ({ kind: 'later', delayMs, problem })

test.for([
  [200, '', works],
  [204, '', works],
  [304, '', works],
  [400, '', works],
  [401, '', works],
  [403, '', works],
  [405, '', works],
  [418, '', works],
  [404, '', { kind: 'fails', problem: 'not_found' }],
  [410, '', { kind: 'fails', problem: 'not_found' }],
  [500, '', { kind: 'fails', problem: 'server_error' }],
  [502, '120', { kind: 'fails', problem: 'server_error' }],
  [503, '', { kind: 'fails', problem: 'server_error' }],
  [503, '120', later(120_000, 'server_error')],
  [503, '1', later(60_000, 'server_error')],
  [503, 'Mon, 23 Nov 2026 12:10:00 GMT', later(600_000, 'server_error')],
  [503, '99999999', later(86_400_000, 'server_error')],
  [429, '', later(3_600_000)],
  [429, '300', later(300_000)],
  [429, 'soon', later(3_600_000)],
] as const)('judges status %i with retry-after "%s"', ([status, retryAfter, verdict]) => {
  expect(evaluateResponse({ status, retryAfter }, now)).toEqual(verdict)
})
