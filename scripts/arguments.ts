import { parseArgs } from 'node:util'

/**
 * Reads a script's arguments: flags, such as `--quick`, and others if `positionals` is set. Prints the
 * usage and exits for `--help`, and for unknown arguments with the code 1.
 */
export function readArguments(
  usage: string,
  { flags = [], positionals = false }: { flags?: readonly string[]; positionals?: boolean } = {},
): { flags: ReadonlySet<string>; positionals: readonly string[] } {
  const options = Object.fromEntries(
    ['help', ...flags].map((name) => [
      name,
      { type: 'boolean' as const, ...(name === 'help' && { short: 'h' }) },
    ]),
  )
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({ options, allowPositionals: positionals })
  } catch (error) {
    rejectArguments(usage, (error as Error).message.replace(/\. To specify .*$/s, '.'))
  }
  if (parsed.values.help) {
    process.stdout.write(`${usage}\n`)
    process.exit(0)
  }
  return { flags: new Set(Object.keys(parsed.values)), positionals: parsed.positionals }
}

/** Prints an error and the usage, and exits with 1. */
export function rejectArguments(usage: string, problem: string): never {
  process.stderr.write(`${problem}\n\n${usage}\n`)
  process.exit(1)
}
