import type { Config } from '../config.ts'
import { withClient } from '../db/client.ts'
import { checkOwners } from '../identity/account.queries.ts'
import { formatStartupNotice } from './block.ts'
import { formatCountryDataNotice } from './country-data-notice.ts'

/**
 * Returns the text to print at startup, or nothing if there is an account and an admin. In an empty
 * embedded database, creates a first account for trying the service. In an external database, the
 * operator creates it.
 */
export async function prepareGreeting(
  config: Config & { databaseUrl: string },
  { embedded }: { embedded: boolean },
): Promise<string> {
  const { hasAccount, hasAdmin } = await withClient(
    { url: config.databaseUrl, name: 'start', connectTimeout: 1300, queryTimeout: 1500 },
    checkOwners,
  )
  if (hasAccount) return config.console && !hasAdmin ? formatAdminInstructions(config) : ''
  if (!embedded) return formatFirstAccountInstructions(config)
  // Loaded on demand, because it is needed only once per database.
  const { createFirstAccount } = await import('./first-account.ts')
  return createFirstAccount(config)
}

function formatAdminInstructions(config: Config): string {
  return formatStartupNotice(
    config,
    `
No user is an admin yet. To open the admin pages, make a user an admin with

npx brevis user admin <email> on
`,
  )
}

function formatFirstAccountInstructions(config: Config): string {
  const page = config.registrationOpen ? `\nor open ${config.baseUrl}/register\n` : ''
  return formatStartupNotice(
    config,
    `
No accounts yet. Create one with

npx brevis account create --email you@example.com --username you --password <password>
${page}${formatCountryDataNotice(config)}`,
  )
}
