import type { Problem } from '../../../links/check/verdict.ts'

const problems: Readonly<Record<Problem, string>> = {
  not_found: 'was not found',
  server_error: 'returns a server error',
  unreachable: 'can’t be reached',
  timeout: 'doesn’t respond',
  too_many_redirects: 'redirects too often',
  bad_response: 'sends an invalid response',
}

/** Texts of a link's status. */
export const statusMessages = {
  broken: 'Broken',
  brokenReason: '{destination} {problem} since {date}',
  problems,
} as const
