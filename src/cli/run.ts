import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { CommanderError, Command as Parser } from 'commander'
import type { Answer, Command } from './command.ts'
import { commandGroups, commands } from './commands.ts'
import { describeFailure } from './failure.ts'
import { renderAnswer } from './render.ts'

/** The process in which a command runs, or its replacement in a test. */
type Home = {
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
export async function run(args: readonly string[], home: Home = process): Promise<number> {
  try {
    await createParser(home).parseAsync(args, { from: 'user' })
    return 0
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0
    home.stderr.write(`brevis: ${describeFailure(error)}\n`)
    return 1
  }
}

function createParser(home: Home): Parser {
  const root = prepare(new Parser('brevis'), 'Manage a Brevis installation.', home)
  const groups = new Map<string, Parser>()
  for (const [name, command] of Object.entries(commands)) {
    const [first = '', second] = name.split(' ')
    if (second === undefined) {
      addCommand(root, first, command, home)
      continue
    }
    const group =
      groups.get(first) ?? prepare(root.command(first), commandGroups[first] ?? '', home)
    groups.set(first, group)
    addCommand(group, second, command, home)
  }
  return root
}

/**
 * Makes the parser throw an error, even for a missing command, instead of writing to the terminal
 * or exiting.
 */
function prepare(parser: Parser, description: string, { stdout }: Home): Parser {
  return parser
    .description(description)
    .helpCommand(false)
    .allowExcessArguments()
    .exitOverride()
    .configureOutput({ writeOut: (text) => void stdout.write(text), writeErr: () => {} })
    .action(() => {
      const name = parser.args[0]
      if (name !== undefined) parser.error(`unknown command '${name}'`)
      parser.error(`a command is missing; ${path(parser)} --help shows them`)
    })
}

function addCommand(parent: Parser, name: string, command: Command, home: Home): void {
  const parser = parent.command(name).description(command.summary).allowExcessArguments(false)
  for (const [option, text] of Object.entries(command.required)) {
    if (command.operands.includes(option)) parser.argument(`<${option}>`, text)
    else parser.requiredOption(`--${spell(option)} <${spell(option)}>`, text)
  }
  for (const [option, text] of Object.entries(command.optional)) {
    parser.option(`--${spell(option)} <${spell(option)}>`, text)
  }
  for (const [option, text] of Object.entries(command.flags)) {
    parser.option(`--${spell(option)}`, text)
  }
  parser.option('--json', 'print one JSON object on one line')
  parser.action(async () => {
    const { json = false, ...options }: { json?: boolean } & Record<string, string> = parser.opts()
    const operands = command.operands.map((name, index) => [name, parser.args[index] ?? ''])
    const input = { ...options, ...Object.fromEntries(operands) }
    // Loading takes half a second, so help and mistyped commands skip it.
    const { withContext } = await import('./context.ts')
    const { settings, stdin, stderr } = home
    await withContext({ json, settings, stdin, stderr }, async (context) => {
      const answer = await command.run(context, input)
      await write(answer, json, home)
    })
  })
}

/** Returns the name of an option as typed, such as `on-taken` for `onTaken`. */
function spell(option: string): string {
  return option.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
}

async function write(answer: Answer, json: boolean, { stdout }: Home): Promise<void> {
  const text = isStream(answer) ? answer : [renderAnswer(answer, json)]
  try {
    await pipeline(Readable.from(text), stdout, { end: false })
  } catch (error) {
    // The reader has closed the pipe, which commands such as `head` do.
    if ((error as NodeJS.ErrnoException).code !== 'EPIPE') throw error
  }
}

function isStream(answer: Answer): answer is AsyncIterable<string> {
  return Symbol.asyncIterator in answer
}

function path(parser: Parser): string {
  return parser.parent ? `${path(parser.parent)} ${parser.name()}` : parser.name()
}
