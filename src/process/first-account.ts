import { randomBytes } from 'node:crypto'
import { createContext, type ReadyConfig } from '../context.ts'
import { AppError } from '../errors.ts'
import { createAccount } from '../identity/account.service.ts'
import { formatStartupNotice } from './block.ts'
import { formatCountryDataNotice } from './country-data-notice.ts'

/**
 * Creates a first account for trying the service, and returns the text to print. Returns an empty
 * text if another process has just created the account.
 */
export async function createFirstAccount(config: ReadyConfig): Promise<string> {
  const ctx = await createContext(config, 'command')
  const password = randomBytes(12).toString('base64url')
  const input = { email: 'owner@example.com', username: 'owner', password, emailVerified: true }
  try {
    const { baseUrl } = config
    const { key } = await createAccount(ctx, ctx.db, input)
    return formatStartupNotice(
      config,
      `
Account   ${input.email}
Password  ${password}
API key   ${key}

The password and the key are shown only once. Create a short link:

curl -s ${baseUrl}/api/url/add -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"url":"https://example.com/"}'
${formatCountryDataNotice(config)}`,
    )
  } catch (error) {
    // Another process that started at the same moment has created the account and prints its key.
    if (error instanceof AppError && error.status === 409) return ''
    throw error
  } finally {
    await ctx.close()
  }
}
