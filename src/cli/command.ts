import type { Config } from '../config.ts'
import type { Connected, Context } from '../context.ts'

/** The context of services, connected to a database with this program's schema. */
export type ServiceContext = Connected<Context>

/** Whether a command may create the database. If not, a missing or empty database is rejected. */
export type Creation = { creates?: boolean }

/** The resources that a command can use. Each one is created on first use. */
export type CommandContext = {
  config: Config
  /** Returns the URL of the database. Starts its server if necessary. */
  databaseUrl(creation?: Creation): Promise<string>
  /** Applies pending migrations and returns their names. */
  migrate(): Promise<string[]>
  /** Connects to the database. Throws unless it has this program's schema. */
  connect(creation?: Creation): Promise<ServiceContext>
  /** Returns the first line of standard input. */
  readLine(): Promise<string>
  /** Prompts for a secret without showing it, or reads the first line of standard input. */
  readSecret(question: string): Promise<string>
  /** Writes a line to standard error. */
  writeNotice(line: string): void
  /** The terminal to which progress is written, if there is one. */
  terminal: Terminal | undefined
  /** Whether to write the result as JSON. */
  json: boolean
}

/** A terminal for progress output. */
export type Terminal = { write(text: string): unknown; columns?: number }

/** The result of a command: an object, or text that is written as it is produced. */
export type CommandResult = Record<string, unknown> | AsyncIterable<string>

export type Command = {
  summary: string
  /** Descriptions of the required options by name, in the order of the help. */
  required: Readonly<Record<string, string>>
  optional: Readonly<Record<string, string>>
  /** Options without a value. */
  flags: Readonly<Record<string, string>>
  /** The required options that may also be specified by position. */
  operands: readonly string[]
  run(context: CommandContext, input: Readonly<Record<string, string>>): Promise<CommandResult>
  /** Returns the result instead of `run` if a setting is invalid. By default, the command fails. */
  reportInvalidSettings?: ((error: Error, json: boolean) => CommandResult) | undefined
}

type Definition<Required extends string, Optional extends string, Flag extends string> = {
  summary: string
  required?: Readonly<Record<Required, string>>
  optional?: Readonly<Record<Optional, string>>
  flags?: Readonly<Record<Flag, string>>
  operands?: readonly NoInfer<Required>[]
  run(
    context: CommandContext,
    input: Readonly<
      Record<Required, string> & Partial<Record<Optional, string>> & Partial<Record<Flag, true>>
    >,
  ): Promise<CommandResult>
  reportInvalidSettings?: Command['reportInvalidSettings']
}

/** Defines a command. `run` receives exactly the options that it declares. */
export function defineCommand<
  Required extends string = never,
  Optional extends string = never,
  Flag extends string = never,
>(definition: Definition<Required, Optional, Flag>): Command {
  const { required = {}, optional = {}, flags = {}, operands = [], run, ...rest } = definition
  return { ...rest, required, optional, flags, operands, run: run as Command['run'] }
}

/** Yields a JSON object on one line with a list under `name`, reading the list on demand. */
export async function* generateJsonList<Entry>(
  name: string,
  entries: AsyncIterable<Entry>,
  present: (entry: Entry) => unknown,
): AsyncGenerator<string> {
  let separator = `{${JSON.stringify(name)}:[`
  for await (const entry of entries) {
    yield separator + JSON.stringify(present(entry))
    separator = ','
  }
  yield separator === ',' ? ']}\n' : `${separator}]}\n`
}
