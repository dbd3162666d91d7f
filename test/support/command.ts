import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { PassThrough, Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, inject } from 'vitest'
import { run } from '../../src/cli/run.ts'
import type { TestApp } from './app.ts'
import type { Owner } from './make.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export type Outcome = { code: number; stdout: string; stderr: string }

type CommandOptions = { env: Record<string, string>; stdin?: string }

/** Runs `brevis` in this process with only these settings. */
export async function runCommand(args: readonly string[], { env, stdin = '' }: CommandOptions) {
  const stdout = new PassThrough()
  const stderr = new PassThrough()
  const output = Promise.all([text(stdout), text(stderr)])
  const input = Readable.from([stdin])
  const code = await run(args, { stdin: input, stdout, stderr, settings: env })
  for (const stream of [stdout, stderr]) stream.end()
  const [out, err] = await output
  return { code, stdout: out, stderr: err } satisfies Outcome
}

/** Starts `brevis` as a separate process. */
export function startProcess(args: readonly string[], env: Record<string, string>) {
  return spawn(process.execPath, [CLI, ...args], {
    // Not the checkout, whose .env belongs to the developer.
    cwd: tmpdir(),
    env: { ...inject('compileCache'), ...env },
    stdio: 'pipe',
  })
}

/** Runs `brevis` as a separate process to its end. */
export async function runProcess(
  args: readonly string[],
  { env, stdin = '' }: CommandOptions,
): Promise<Outcome> {
  const child = startProcess(args, env)
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}

/** Returns functions that run `brevis` on the database of an application. */
export function commandLine({ databaseUrl, baseUrl }: TestApp) {
  function settings(): Record<string, string> {
    return { DATABASE_URL: databaseUrl, BASE_URL: baseUrl }
  }

  /** Returns the output of a successful command. */
  async function brevis(args: readonly string[], stdin?: string): Promise<string> {
    const outcome = await runCommand(args, { env: settings(), ...(stdin && { stdin }) })
    expect(outcome).toMatchObject({ code: 0, stderr: '' })
    return outcome.stdout
  }

  /** Returns the JSON output of a successful command. */
  async function brevisJson(args: readonly string[]) {
    const stdout = await brevis([...args, '--json'])
    expect(stdout).toMatch(/^\{.*\}\n$/)
    return JSON.parse(stdout)
  }

  return { settings, brevis, brevisJson }
}

/** Returns the arguments of a command, such as `key list`, for an owner's account. */
export function accountArguments(group: string, { account }: Owner, ...args: string[]): string[] {
  const [first = '', second = ''] = group.split(' ')
  return [first, second, '--account', account.email, ...args]
}
