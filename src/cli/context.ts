import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { type Config, loadEnvFile, readConfig } from '../config.ts'
import { COMMAND_TIMEOUTS, createContext } from '../context.ts'
import { migrate } from '../db/migrate.ts'
import type { Page, PageQuery } from '../db/pagination.ts'
import { listPendingMigrations } from '../db/pending-migrations.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import {
  type EmbeddedPostgres,
  hasCluster,
  startEmbedded,
} from '../embedded-postgres/embedded-postgres.ts'
import { invalid } from '../errors.ts'
import { getAccountByEmailOrUsername } from '../identity/account.service.ts'
import type { Action } from '../operator-log/action.ts'
import { COMMAND_LINE, logAction } from '../operator-log/operator-log.service.ts'
import type { CommandContext, Creation, ServiceContext } from './command.ts'
import { isTerminal, readSecret } from './terminal.ts'

type Change<Result> = {
  /** The account's username, or the email address of its owner. */
  account: string
  action: Action
  work: (tx: Tx, accountId: number) => Promise<Result>
  /** Returns the details for the log. */
  detail: (result: Result) => string
}

/** The option of all commands that only affect one account. */
export const OWNER = { account: 'the email of the account' }

const BATCH_SIZE = 1000

const FIRST_MIGRATION = '0001-schema'

type ContextOptions = {
  json: boolean
  /** Environment variables. If undefined, those of this process and of `.env` are used. */
  settings: Readonly<Record<string, string>> | undefined
  /** Called with the error if a setting is invalid, instead of `work`. */
  onInvalidSettings: (error: Error) => Promise<void>
  stdin: Readable
  stderr: Writable
}

/**
 * Runs `work` with a command context, and closes everything that it opened. Uses the embedded
 * PostgreSQL if it is running. If not, starts it for the duration of the command.
 *
 * @throws any error of `work`
 */
export async function withContext(
  { json, settings, onInvalidSettings, stdin, stderr }: ContextOptions,
  work: (context: CommandContext) => Promise<void>,
): Promise<void> {
  let config: Config
  try {
    if (!settings) loadEnvFile()
    config = readConfig(settings)
  } catch (error) {
    return onInvalidSettings(error as Error)
  }
  let embedded: Promise<EmbeddedPostgres> | undefined
  let ctx: ServiceContext | undefined

  async function databaseUrl({ creates = false }: Creation = {}): Promise<string> {
    if (config.databaseUrl) return config.databaseUrl
    if (config.main) {
      throw new Error(`an edge has no database: run this command where ${config.main.url} runs`)
    }
    if (!creates) await requireCluster(config)
    embedded ??= startEmbedded(config.dataDir)
    return (await embedded).url
  }

  async function connect({ creates = false }: Creation = {}): Promise<ServiceContext> {
    const url = await databaseUrl({ creates })
    await requireSchema(url, config, creates)
    ctx ??= await createContext({ ...config, databaseUrl: url }, 'command')
    return ctx
  }

  try {
    return await work({
      config,
      json,
      databaseUrl,
      connect,
      readLine: () => readLine(stdin),
      readSecret: (question) =>
        isTerminal(stdin) ? readSecret(question, stdin, stderr) : readLine(stdin),
      writeNotice: (line) => void stderr.write(`${line}\n`),
      terminal: isTerminal(stderr) && !json ? stderr : undefined,
      migrate: async () => migrate(await databaseUrl({ creates: true })),
    })
  } finally {
    await ctx?.close()
    const server = await embedded?.catch(() => undefined)
    await server?.stop({ onlyIfStarted: true })
  }
}

/** Rejects a data folder without a database, because it is probably the wrong folder. */
async function requireCluster({ dataDir }: Config): Promise<void> {
  if (await hasCluster(dataDir)) return
  throw new Error(
    `there is no database in DATA_DIR=${dataDir}: set DATA_DIR or DATABASE_URL as for the service`,
  )
}

/**
 * Sets up an empty database like the startup of the service does, for commands that may create the
 * first data. Rejects an outdated database, because an older program may still be using it.
 */
async function requireSchema(url: string, config: Config, creates: boolean): Promise<void> {
  const [next] = await listPendingMigrations(url, COMMAND_TIMEOUTS)
  if (next === undefined) return
  if (next === FIRST_MIGRATION && !creates) {
    throw new Error('the database is empty: set DATABASE_URL or DATA_DIR as for the service')
  }
  if (next !== FIRST_MIGRATION || !config.migrateOnStart) {
    throw new Error(`the database lacks migration ${next}: run npx brevis migrate first`)
  }
  await migrate(url)
}

async function readLine(input: Readable): Promise<string> {
  const lines = createInterface({ input, terminal: false })
  try {
    for await (const line of lines) return line
  } finally {
    lines.close()
  }
  throw invalid('password', 'standard_input')
}

/** Returns all entries of a paged list. */
export async function readAllPages<Entry>(
  list: (page: PageQuery) => Promise<Page<Entry>>,
): Promise<Entry[]> {
  const all: Entry[] = []
  while (true) {
    const { entries } = await list({ limit: BATCH_SIZE, offset: all.length })
    all.push(...entries)
    if (entries.length < BATCH_SIZE) return all
  }
}

/**
 * Changes a resource of an account and logs the change, in one transaction.
 *
 * @throws AppError `not_found` if there is no such account, and any error of `work`
 */
export function changeAndLog<Result>(
  ctx: ServiceContext,
  { account, action, work, detail }: Change<Result>,
): Promise<Result> {
  return inTransaction(ctx.db, async (tx) => {
    const { id, username } = await getAccountByEmailOrUsername(tx, account)
    const result = await work(tx, id)
    const line = { actor: COMMAND_LINE, action, subject: username, detail: detail(result) }
    await logAction(ctx, tx, line)
    return result
  })
}
