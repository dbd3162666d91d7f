import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** Mounts a file system of this `size`, such as `1m`, on a folder until the test ends. */
export function mountSmall(folder: string, size: string): void {
  mount(folder, size)
  onTestFinished(() => void execFileSync('umount', ['--lazy', folder]))
}

/**
 * Makes a folder read-only for files that are opened from now on. Returns the function that undoes
 * this, which also happens at the end of the test.
 */
export function mountReadOnly(folder: string): () => void {
  let isMounted = true
  execFileSync('mount', ['--bind', folder, folder], { stdio: 'ignore' })
  execFileSync('mount', ['-o', 'remount,bind,ro', folder], { stdio: 'ignore' })
  const undo = () => {
    if (isMounted) execFileSync('umount', ['--lazy', folder])
    isMounted = false
  }
  onTestFinished(undo)
  return undo
}

/**
 * Returns whether mounting is possible, which requires root and is forbidden in some containers.
 */
export function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'brevis-mount-'))
  try {
    mount(folder, '1m')
    execFileSync('umount', [folder])
    return true
  } catch {
    return false
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function mount(folder: string, size: string): void {
  const options = `size=${size},mode=755`
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder], { stdio: 'ignore' })
}
