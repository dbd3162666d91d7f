import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))

export type Outcome = { code: number; stdout: string; stderr: string }

/** Runs `brevis` with the arguments as a process of its own, with these settings and no others. */
export async function runCommand(
  args: readonly string[],
  { env, stdin = '' }: { env: Record<string, string>; stdin?: string },
): Promise<Outcome> {
  const child = spawn(process.execPath, [CLI, ...args], {
    // Not the checkout, whose .env is the developer's.
    cwd: tmpdir(),
    env,
    stdio: 'pipe',
  })
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'exit'),
  ])
  return { code, stdout, stderr }
}
