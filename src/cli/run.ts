import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommanderError, Command as Parser } from 'commander'
import { ConnectionError } from '../db/connection-error.ts'
import { convertDatabaseError } from '../db/errors.ts'
import { AppError } from '../errors.ts'
import type { Command, CommandResult } from './command.ts'
import { commandGroups, commands } from './commands.ts'

/** The maximum length of a message, because PostgreSQL repeats invalid values in full. */
const MAX_LENGTH = 1000

/**
 * The streams and settings of the process in which a command runs, or their replacements in a test.
 */
type ProcessStreams = {
  stdin: Readable
  stdout: Writable
  stderr: Writable
  /** Environment variables. If undefined, those of this process and of `.env` are used. */
  settings?: Readonly<Record<string, string>>
}

/**
 * Runs the command that the arguments specify. Writes its result to standard output, or its error
 * to standard error, on one line. @returns the exit code: 0 for success, 1 for an error
 */
export async function run(
  args: readonly string[],
  streams: ProcessStreams = process,
): Promise<number> {
  try {
    await createParser(streams).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    streams.stderr.write(`brevis: ${describeFailure(error)}\n`)
    return 1
  }
}

function createParser(streams: ProcessStreams): Parser {
  const root = configureParser(new Parser('brevis'), 'Manage a Brevis installation.', streams)
  const groups = new Map<string, Parser>()
  for (const [name, command] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ')
    if (second === undefined) {
      addCommand(root, first, command, streams)
      continue
    }
    const group =
      groups.get(first) ?? configureParser(root.command(first), commandGroups[first] ?? '', streams)
    groups.set(first, group)
    addCommand(group, second, command, streams)
  }
  return root
}

/**
 * Configures the parser to throw errors, even for a missing command, instead of writing to the
 * terminal or exiting.
 */
function configureParser(parser: Parser, description: string, { stdout }: ProcessStreams): Parser {
  return parser
    .description(description)
    .helpCommand(false)
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: () => {} })
    .action(() => {
      const name = parser.args[0]
      if (name !== undefined) parser.error(`unknown command '${name}'`)
      parser.error(`a command is missing; ${getCommandPath(parser)} --help shows them`)
    })
}

function addCommand(parent: Parser, name: string, command: Command, streams: ProcessStreams): void {
  const parser = parent.command(name).description(command.summary).allowExcessArguments(false)
  for (const [option, text] of Object.entries(command.required)) {
    if (command.operands.includes(option)) parser.argument(`<${option}>`, text)
    else parser.requiredOption(`--${toOptionName(option)} <${toOptionName(option)}>`, text)
  }
  for (const [option, text] of Object.entries(command.optional)) {
    parser.option(`--${toOptionName(option)} <${toOptionName(option)}>`, text)
  }
  for (const [option, text] of Object.entries(command.flags)) {
    parser.option(`--${toOptionName(option)}`, text)
  }
  parser.option('--json', 'print one JSON object on one line')
  parser.action(async () => {
    const { json = false, ...options }: { json?: boolean } & Record<string, string> = parser.opts()
    const operands = command.operands.map((name, index) => [name, parser.args[index] ?? ''])
    const input = { ...options, ...Object.fromEntries(operands) }
    // Loading takes half a second, so help and mistyped commands skip it.
    const { withContext } = await import('./context.ts')
    const { settings, stdin, stderr } = streams
    const onInvalidSettings = async (error: Error) => {
      if (!command.reportInvalidSettings) throw error
      await write(command.reportInvalidSettings(error, json), json, streams)
    }
    await withContext({ json, settings, onInvalidSettings, stdin, stderr }, async (context) => {
      const result = await command.run(context, input)
      await write(result, json, streams)
    })
  })
}

/** Returns the name of an option on the command line, such as `on-taken` for `onTaken`. */
function toOptionName(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

async function write(
  result: CommandResult,
  json: boolean,
  { stdout }: ProcessStreams,
): Promise<void> {
  const text = isStream(result) ? result : [renderResult(result, json)]
  try {
    await pipeline(Readable.from(text), stdout, { end: false })
  } catch (error) {
    // The reader has closed the pipe, which commands such as `head` do.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

function isStream(result: CommandResult): result is AsyncIterable<string> {
  return Symbol.asyncIterator in result
}

function getCommandPath(parser: Parser): string {
  return parser.parent ? `${getCommandPath(parser.parent)} ${parser.name()}` : parser.name()
}

/**
 * Describes an error on one line, without terminal control characters. The names of options are the
 * same as those of internal fields, so they need no translation.
 */
function describeFailure(error: unknown): string {
  const converted = convertDatabaseError(error)
  const isUnavailable = converted instanceof AppError && converted.code === 'database_unavailable'
  const isNamed = isUnavailable && converted.cause instanceof ConnectionError
  const reason =
    isUnavailable && !isNamed
      ? `the database does not respond: ${getReason(converted.cause)}`
      : getReason(isNamed ? converted.cause : converted)
  return reason
    .replace(/^error: /, '')
    .replaceAll(/\s*\n\s*/g, '; ')
    .replaceAll(/\p{Cc}/gu, '\ufffd')
    .trim()
    .slice(0, MAX_LENGTH)
}

function getReason(error: unknown): string {
  // If a host has several IP addresses, the message is empty, and the error of each address has its
  // own message.
  if (error instanceof AggregateError && error.message === '') return getReason(error.errors[0])
  return error instanceof Error ? error.message || error.name : String(error)
}

/** Renders a result, either as JSON on one line, or as lines and tables for people. */
export function renderResult(result: Readonly<Record<string, unknown>>, json: boolean): string {
  if (json) return `${JSON.stringify(result)}\n`
  const fields = Object.entries(result)
  const hasOnlyLists = fields.every(([, value]) => Array.isArray(value))
  const isList = (value: unknown) =>
    Array.isArray(value) && (hasOnlyLists || value.every((each) => typeof each === 'object'))
  const values = fields.filter(([, value]) => !isList(value))
  const lists = fields.filter(([, value]) => isList(value))
  return [
    renderTable(values.map(([name, value]) => [name, formatValue(value)])),
    ...lists.map(([name, list]) => renderList(name, list as unknown[])),
  ].join('')
}

function renderList(name: string, list: readonly unknown[]): string {
  const [first] = list
  if (first === undefined) return `no ${name}\n`
  if (typeof first !== 'object' || first === null)
    return `${name}: ${list.map(formatValue).join(', ')}\n`
  const rows = list as readonly Readonly<Record<string, unknown>>[]
  const columns = Object.keys(first)
  return renderTable([
    columns,
    ...rows.map((row) => columns.map((column) => formatValue(row[column]))),
  ])
}

function renderTable(rows: readonly (readonly string[])[]): string {
  const columns = rows[0] ?? []
  const widths = columns.map((_, column) =>
    rows.reduce((width, row) => Math.max(width, row[column]?.length ?? 0), 0),
  )
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd()
  return rows.map((row) => `${line(row)}\n`).join('')
}

/** Formats a value on one line, without terminal control characters. */
function formatValue(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return String(value).replaceAll(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
