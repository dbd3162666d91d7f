import type { MainInstallation } from './edge-settings.ts'

/** Thrown if the main installation responds with an error status. */
export class MainResponseError extends Error {
  readonly status: number
  readonly body: unknown

  constructor(status: number, body: unknown) {
    super(`the main installation responded with ${status}${formatMessage(body)}`)
    this.status = status
    this.body = body
  }
}

export type PostToMain = (
  path: string,
  body: object,
  options: { timeoutMs: number; signal?: AbortSignal },
) => Promise<unknown>

/**
 * Creates the function that posts JSON to the main installation and returns the JSON of its
 * response. It throws MainResponseError for any status except 200, and other errors if there is no
 * valid response in time.
 */
export function createMainClient({ url, token }: MainInstallation): PostToMain {
  return async (path, body, { timeoutMs, signal }) => {
    const timeout = AbortSignal.timeout(timeoutMs)
    const response = await fetch(`${url}/internal/edge/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      // The token must not be sent to another server.
      redirect: 'error',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    }).catch((error: unknown) => {
      throw withCause(error)
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json')
    if (response.status === 200 && isJson) return JSON.parse(text)
    throw new MainResponseError(response.status, isJson ? JSON.parse(text) : undefined)
  }
}

/** Adds the cause to the error, because `fetch failed` alone does not explain it. */
function withCause(error: unknown): Error {
  const { message, cause } = error as Error
  const reason = cause instanceof Error ? `: ${cause.message || cause.name}` : ''
  return new Error(`the main installation cannot be reached: ${message}${reason}`, { cause: error })
}

function formatMessage(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown }
  return typeof message === 'string' ? `: ${message}` : ''
}
