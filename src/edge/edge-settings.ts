import type { Settings } from '../settings.ts'

/** The main installation of an edge, and the token that it accepts. */
export type MainInstallation = { url: string; token: string }

const MIN_TOKEN_LENGTH = 32
const LOOPBACK = ['localhost', '127.0.0.1', '[::1]']

/**
 * Returns the main installation of an edge, or undefined without `ROLE=edge`.
 *
 * @throws Error with one line per invalid setting, naming the setting
 */
export function readMainInstallation(values: Settings): MainInstallation | undefined {
  const { ROLE, MAIN_URL, EDGE_TOKEN, DATABASE_URL, BASE_URL } = values
  const problems: string[] = []
  if (EDGE_TOKEN && !isToken(EDGE_TOKEN)) {
    problems.push(
      `EDGE_TOKEN must have at least ${MIN_TOKEN_LENGTH} characters, of letters, digits and . _ ~ + / = -`,
    )
  }
  if (ROLE === 'main') {
    if (MAIN_URL) problems.push('MAIN_URL is only for edges. Remove it, or set ROLE=edge')
    if (problems.length > 0) throw new Error(problems.join('\n'))
    return undefined
  }
  if (!MAIN_URL) problems.push('MAIN_URL is required with ROLE=edge')
  else problems.push(...findUrlProblems(MAIN_URL))
  if (!EDGE_TOKEN) problems.push('EDGE_TOKEN is required with ROLE=edge')
  if (!BASE_URL)
    problems.push(
      'BASE_URL is required with ROLE=edge, and must equal the BASE_URL of the main installation',
    )
  if (DATABASE_URL) problems.push('DATABASE_URL must not be set with ROLE=edge')
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return { url: new URL(MAIN_URL).origin, token: EDGE_TOKEN }
}

function findUrlProblems(value: string): string[] {
  const url = URL.parse(value)
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    return ['MAIN_URL must be an https URL']
  }
  if (url.username || url.password) return ['MAIN_URL must not contain a user or password']
  if (url.pathname !== '/' || url.search || url.hash) {
    return ['MAIN_URL must be an origin without a path']
  }
  const isSafe = url.protocol === 'https:' || LOOPBACK.includes(url.hostname)
  return isSafe ? [] : ['MAIN_URL must begin with https://, unless it is on this machine']
}

/** Returns whether a text is long enough and valid in an `Authorization` header (RFC 6750). */
function isToken(value: string): boolean {
  return value.length >= MIN_TOKEN_LENGTH && /^[A-Za-z0-9._~+/=-]+$/.test(value)
}
