import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'
import type { Binaries } from './binaries.ts'

/** A way to run PostgreSQL's programs, which refuse to run as root. */
export type Runner = {
  /** The required owner of their files. */
  owner: { uid: number; gid: number }
  /**
   * Runs a program and returns its output. If it fails, throws an error with the last lines of the
   * output.
   */
  run(program: string, args: string[]): Promise<string>
  /**
   * Starts a program that survives this process and its terminal. `output` is a file descriptor.
   */
  start(program: string, args: string[], output: number): ChildProcess
}

type Account = { name: string; uid: number; gid: number }

const execute = promisify(execFile)

/**
 * Selects how to run PostgreSQL on the data folder. An ordinary user runs it directly. Root uses a
 * system user. If that user cannot access the files (for example in a clone in /root), root uses a
 * user namespace with another uid. `clusterOwner`, the owner of an existing cluster, is tried
 * first.
 *
 * @throws Error with the fix if none of these works
 */
export async function chooseRunner(
  binaries: Binaries,
  dataDir: string,
  clusterOwner?: number,
): Promise<Runner> {
  for await (const runner of listCandidates(dataDir, clusterOwner)) {
    if (await isUsable(runner, binaries, dataDir)) return runner
  }
  throw new Error(
    `The embedded PostgreSQL cannot run here: it refuses to run as root, and no other user can ` +
      `reach both ${dataDir} and ${binaries.postgres}. Run as an ordinary user that owns them, ` +
      `move them to a folder that user can enter, or set DATABASE_URL.`,
  )
}

async function* listCandidates(dataDir: string, clusterOwner?: number): AsyncGenerator<Runner> {
  const currentUser = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 }
  const accounts = (await readAccounts()).filter(({ uid }) => uid !== 0)
  const namespaceAccount = accounts.find(({ name }) => name === 'nobody') ?? accounts[0]
  const namespace = namespaceAccount && createNamespaceRunner(currentUser, namespaceAccount)
  if (currentUser.uid !== 0) {
    yield createUserRunner(currentUser)
    if (namespace) yield namespace
    return
  }
  const folderOwner = (await stat(dataDir)).uid
  const byUid = (uid?: number) => accounts.filter((account) => account.uid === uid).slice(0, 1)
  if (clusterOwner === 0 && namespace) yield namespace
  for (const account of byUid(clusterOwner)) yield createUserRunner(account)
  const postgres = accounts.find(({ name }) => name === 'postgres') ?? (await createAccount())
  if (postgres) yield createUserRunner(postgres)
  for (const account of byUid(folderOwner)) yield createUserRunner(account)
  if (namespace) yield namespace
}

/** Returns whether a runner works. initdb requires a user with a name, so this is tested too. */
async function isUsable(runner: Runner, binaries: Binaries, dataDir: string): Promise<boolean> {
  const script = 'cd "$1" && "$2" --version && id -un'
  try {
    await runner.run('/bin/sh', ['-c', script, 'sh', dataDir, binaries.postgres])
    return true
  } catch {
    return false
  }
}

function createUserRunner({ uid, gid }: { uid: number; gid: number }): Runner {
  // Ordinary users may not even set their own ids, because this also sets the groups.
  const ids = process.getuid?.() === 0 ? { uid, gid } : {}
  return createRunner({ uid, gid }, ids, [])
}

function createNamespaceRunner(owner: Runner['owner'], namespaceAccount: Account): Runner {
  const map = [`--map-user=${namespaceAccount.uid}`, `--map-group=${namespaceAccount.gid}`]
  return createRunner(owner, {}, ['unshare', '--user', ...map])
}

function createRunner(
  owner: Runner['owner'],
  ids: { uid?: number; gid?: number },
  prefix: string[],
): Runner {
  // The other user may not have access to the current folder.
  const options = { ...ids, cwd: '/' }
  const commandLine = (program: string, args: string[]): [string, string[]] => {
    const [first = program, ...rest] = [...prefix, program, ...args]
    return [first, rest]
  }
  return {
    owner,
    async run(program, args) {
      try {
        const { stdout } = await execute(...commandLine(program, args), options)
        return stdout
      } catch (error) {
        throw new Error(`${basename(program)} failed:\n${getLastLines(error)}`, { cause: error })
      }
    },
    start(program, args, output) {
      return spawn(...commandLine(program, args), {
        ...options,
        detached: true,
        stdio: ['ignore', output, output],
      })
    },
  }
}

function getLastLines(error: unknown): string {
  const output =
    error instanceof Error && 'stderr' in error
      ? String(error.stderr).trim() || error.message
      : error
  return String(output).split('\n').slice(-10).join('\n')
}

/** Creates the system user `postgres`. Returns undefined if this fails. */
async function createAccount(): Promise<Account | undefined> {
  try {
    const shell = ['--shell', '/usr/sbin/nologin']
    await execute('/usr/sbin/useradd', [
      '--system',
      '--user-group',
      '--no-create-home',
      ...shell,
      'postgres',
    ])
  } catch {
    return
  }
  return (await readAccounts()).find(({ name }) => name === 'postgres')
}

async function readAccounts(): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n')
  return lines.flatMap((line) => {
    const [name = '', , uid, gid] = line.split(':')
    return /^\d+$/.test(uid ?? '') && /^\d+$/.test(gid ?? '')
      ? [{ name, uid: Number(uid), gid: Number(gid) }]
      : []
  })
}
