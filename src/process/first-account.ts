import { randomBytes } from 'node:crypto'
import type { Accounts } from '../accounts/account.service.ts'
import type { Config } from '../config.ts'
import { AppError } from '../errors.ts'
import { createAccountFeatures } from '../wiring/accounts.ts'
import { createCore } from '../wiring/core.ts'

const RULE = '─'.repeat(76)

/**
 * What to print at a start: nothing once there are accounts and an admin among them. On an empty embedded database a first
 * account is made, so that there is something to try at once; on a database of the operator's own
 * accounts are the operator's to make.
 */
export async function welcome(
  config: Config & { databaseUrl: string },
  { embedded }: { embedded: boolean },
): Promise<string> {
  const core = createCore(config, { name: 'start', max: 1 })
  try {
    const { accounts } = createAccountFeatures(core)
    if ((await accounts.count()) > 0) {
      return config.console && (await accounts.lacksAdmin()) ? howToNameAdmin(config) : ''
    }
    return embedded ? await firstAccount(accounts, config) : howToMakeOne(config)
  } finally {
    await core.database.close()
  }
}

async function firstAccount(accounts: Accounts, config: Config): Promise<string> {
  const password = randomBytes(12).toString('base64url')
  const input = { email: 'owner@example.com', username: 'owner', password }
  try {
    const { key } = await accounts.create(input)
    return block(
      config,
      `
Account   ${input.email}
Password  ${password}
API key   ${key}

Password and key are shown this once. Make a short link:

curl -s ${config.baseUrl}/api/url/add -H 'Authorization: Bearer ${key}' -H 'Content-Type: application/json' -d '{"url":"https://example.com/"}'
`,
    )
  } catch (error) {
    // Another process that started at the same moment was quicker, and prints its key.
    if (error instanceof AppError && error.status === 409) return ''
    throw error
  }
}

function howToNameAdmin(config: Config): string {
  return block(
    config,
    `
No account is an admin, so that nobody sees the operator's pages of the console. Make one an admin with

npx brevis account admin <username> on
`,
  )
}

function howToMakeOne(config: Config): string {
  const page = config.registrationOpen ? `\nor open ${config.baseUrl}/register\n` : ''
  return block(
    config,
    `
There is no account yet. Make one with

npx brevis account create --email you@example.com --username you --password <password>
${page}`,
  )
}

/** Not a line of the log: it is for the person who started this, also where the log is piped. */
function block({ baseUrl, console, dataDir }: Config, body: string): string {
  return `
${RULE}
Open      ${baseUrl}${console ? '/console' : ''}  (API: ${baseUrl}/docs)
Data      ${dataDir}
${body}${RULE}

`
}
