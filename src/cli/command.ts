import type { Config } from '../config.ts'
import type { Connected, Context } from '../context.ts'

/** The context of services, connected to a database with this program's schema. */
export type ServiceContext = Connected<Context>

/** What a command works with; nothing of it is made before it is asked for. */
export type CommandContext = {
  config: Config
  /** The address of the database, whose server runs by then. */
  databaseUrl(): Promise<string>
  /** Brings the database up to date and gives the names of the migrations that it lacked. */
  migrate(): Promise<string[]>
  /** Connects to the database, which has this program's schema by then. */
  connect(): Promise<ServiceContext>
  /** The first line of the standard input. */
  readLine(): Promise<string>
  /** What is typed without being shown, or the first line of the standard input. */
  readSecret(question: string): Promise<string>
  /** Where progress is shown, if a person looks on. */
  terminal: Terminal | undefined
  /** Whether a program reads the answer. */
  json: boolean
}

/** A terminal that progress can be written to. */
export type Terminal = { write(text: string): unknown; columns?: number }

/** What a command says: one object, or text that is written as it comes. */
export type Answer = Record<string, unknown> | AsyncIterable<string>

export type Command = {
  summary: string
  /** What each option means, by its name; in the order of the help. */
  required: Readonly<Record<string, string>>
  optional: Readonly<Record<string, string>>
  /** Options without a value. */
  flags: Readonly<Record<string, string>>
  /** Which of the required ones are given by their position, without their names. */
  operands: readonly string[]
  run(context: CommandContext, input: Readonly<Record<string, string>>): Promise<Answer>
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
  ): Promise<Answer>
}

/** A command whose `run` is given exactly the options that it names. */
export function command<
  Required extends string = never,
  Optional extends string = never,
  Flag extends string = never,
>(definition: Definition<Required, Optional, Flag>): Command {
  const { summary, required = {}, optional = {}, flags = {}, operands = [], run } = definition
  return { summary, required, optional, flags, operands, run: run as Command['run'] }
}
