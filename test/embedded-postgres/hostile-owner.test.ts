import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import {
  createClusterFolder,
  createDataFolder,
  query,
  start,
} from '../support/embedded-postgres.ts'

const isRoot = process.getuid?.() === 0
/** A user id without an account on this machine, as on a disk moved from another machine. */
const UNKNOWN_UID = 64_123

/**
 * Keeps creating symbolic links to a file in place of the drafts of configuration files. This script
 * and the next use `fs`, `rest` and `attempt`, which `attack` declares.
 */
const PLANT_DRAFTS = `
  const [cluster, victim] = rest
  for (;;) {
    for (const name of ['brevis.conf.new', 'brevis.json.new']) {
      attempt(() => fs.symlinkSync(victim, cluster + '/' + name))
    }
  }
`

/** Replaces the cluster that initdb is creating with a symbolic link to a folder. */
const SWAP_CLUSTER = `
  const [victim] = rest
  for (;;) {
    for (const pid of fs.readdirSync('/proc')) {
      attempt(() => {
        const cluster = /--pgdata=([^\\0]+)/.exec(fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8'))?.[1]
        if (!cluster) return
        fs.renameSync(cluster, cluster + '.moved')
        fs.symlinkSync(victim, cluster)
      })
    }
  }
`

describe.runIf(isRoot)('the owner of a cluster that root starts', () => {
  test("cannot take over root's files with symbolic links in place of drafts", async () => {
    const dataDir = await createClusterFolder()
    const cluster = join(dataDir, 'postgres')
    const victim = await createVictim(dataDir)
    await attack(PLANT_DRAFTS, (await stat(cluster)).uid, cluster, victim)
    for (let round = 0; round < 5; round += 1) {
      const { stop } = await start(dataDir)
      await stop()
    }
    expect(await readOwnerAndText(victim)).toEqual([0, 'secret'])
  })

  test.for(['PG_VERSION', 'brevis.json', 'postmaster.pid'])(
    "cannot read root's files with a symbolic link in place of %s",
    async (name) => {
      const dataDir = await createClusterFolder()
      const path = join(dataDir, 'postgres', name)
      const victim = await createVictim(dataDir)
      await rm(path, { force: true })
      await symlink(victim, path)
      const error = await start(dataDir).then(
        async ({ stop }) => stop(),
        (reason: Error) => reason,
      )
      expect(String(error)).toMatch(/ELOOP/)
      expect(String(error)).not.toContain('secret')
    },
  )

  test("cannot write to root's folders with a symbolic link in place of a new cluster", async () => {
    const ownerUid = (await stat(join(await createClusterFolder(), 'postgres'))).uid
    const dataDir = await createDataFolder()
    const victim = join(await createDataFolder(), 'victim')
    await mkdir(victim)
    await attack(SWAP_CLUSTER, ownerUid, victim)
    const { url } = await start(dataDir)
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    expect(await readdir(victim)).toEqual([])
    expect((await stat(victim)).uid).toBe(0)
  })

  test("cannot take over root's files with a symbolic link inside its cluster", async () => {
    const dataDir = await createClusterFolder()
    const cluster = join(dataDir, 'postgres')
    const victim = await createVictim(dataDir)
    execFileSync('chown', ['-R', `${UNKNOWN_UID}:${UNKNOWN_UID}`, cluster])
    await symlink(victim, join(cluster, 'base', 'link'))
    const { url } = await start(dataDir)
    expect(await query(url, 'SELECT 1 AS n')).toEqual([{ n: 1 }])
    expect((await stat(cluster)).uid).not.toBe(UNKNOWN_UID)
    expect(await readOwnerAndText(victim)).toEqual([0, 'secret'])
  })
})

/** Runs a script as another user until the test ends. */
async function attack(script: string, uid: number, ...args: string[]): Promise<void> {
  const fullScript = `
    const fs = require('node:fs')
    const [uid, ...rest] = process.argv.slice(1)
    process.setgid(Number(uid))
    process.setuid(Number(uid))
    const attempt = (work) => { try { work() } catch {} }
    process.stdout.write('attacking')
    ${script}`
  const attacker = spawn(process.execPath, ['--eval', fullScript, String(uid), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void attacker.kill('SIGKILL'))
  await once(attacker.stdout, 'data')
}

async function createVictim(folder: string): Promise<string> {
  const victim = join(folder, 'victim')
  await writeFile(victim, 'secret', { mode: 0o600 })
  return victim
}

async function readOwnerAndText(path: string): Promise<[number, string]> {
  return [(await stat(path)).uid, await readFile(path, 'utf8')]
}
