import { execFileSync } from 'node:child_process'
import { readArguments, rejectArguments } from '../scripts/arguments.ts'
import { startBrevis } from './brevis.ts'
import { meetsGoal, type Section, toTable } from './figures.ts'
import { saveResults } from './results.ts'
import { api } from './sections/api.ts'
import { bulk } from './sections/bulk.ts'
import { caller } from './sections/caller.ts'
import { cold } from './sections/cold.ts'
import { compare } from './sections/compare.ts'
import { console } from './sections/console.ts'
import { exporting } from './sections/exporting.ts'
import { filters } from './sections/filters.ts'
import { importer } from './sections/importer.ts'
import { lists } from './sections/lists.ts'
import { long } from './sections/long.ts'
import { memory } from './sections/memory.ts'
import { passwords } from './sections/passwords.ts'
import { periods } from './sections/periods.ts'
import { redirect } from './sections/redirect.ts'
import { robots } from './sections/robots.ts'
import { scale } from './sections/scale.ts'
import { start } from './sections/start.ts'
import { statistics } from './sections/statistics.ts'
import { ticks } from './sections/ticks.ts'
import { traffic } from './sections/traffic.ts'
import { transfer } from './sections/transfer.ts'

const sections: Record<string, Section> = {
  long,
  redirect,
  caller,
  cold,
  traffic,
  importer,
  api,
  lists,
  console,
  bulk,
  statistics,
  periods,
  filters,
  memory,
  passwords,
  transfer,
  exporting,
  ticks,
  start,
  robots,
  scale,
  compare,
}

const USAGE = `Usage: npm run bench -- [--quick] [section …]

Runs the named sections, or all, prints a table for each, and stores the results in bench/results.md.
Sections: ${Object.keys(sections).join(', ')}

Options:
  --quick     measure briefly, and store nothing
  -h, --help  print this

SCALE=10000000 sets the number of links of the section scale.`

/** Runs the named sections, or all, and prints a table for each. */
async function main(): Promise<void> {
  const { positionals, flags } = readArguments(USAGE, { flags: ['quick'], positionals: true })
  const quick = flags.has('quick')
  const names = positionals.length > 0 ? positionals : Object.keys(sections)
  for (const name of names) {
    if (!Object.hasOwn(sections, name)) rejectArguments(USAGE, `Unknown section '${name}'.`)
  }
  requireTool('taskset', ['--version'], 'util-linux')
  requireTool('wrk', ['-v'], 'wrk')
  const interrupted = new AbortController()
  process.once('SIGINT', () => interrupted.abort(new Error('interrupted')))

  // Fills the compile cache, which an installation has after its first start.
  await (await startBrevis())[Symbol.asyncDispose]()

  for (const name of names) {
    const started = performance.now()
    const log = (line: string) => {
      interrupted.signal.throwIfAborted()
      process.stderr.write(`${name}: ${line}\n`)
    }
    log('starting')
    const figures = (await sections[name]?.({ log, quick })) ?? []
    const seconds = Math.round((performance.now() - started) / 1000)
    process.stdout.write(`\n${name} (${seconds} s)\n\n${toTable(figures)}\n\n`)
    if (!quick) await saveResults(name, figures)
    if (figures.some((figure) => meetsGoal(figure) === false)) process.exitCode = 1
  }
}

/** Throws if a command is not installed. Ignores its exit code, because `wrk -v` exits with 1. */
function requireTool(command: string, args: string[], debianPackage: string): void {
  try {
    execFileSync(command, args, { stdio: 'ignore' })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') return
    throw new Error(`${command} is missing: apt-get install ${debianPackage}`)
  }
}

await main()
