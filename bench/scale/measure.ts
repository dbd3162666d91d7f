import type { Figure } from '../figures.ts'

/** Adds a figure of the current number of links. */
export type Add = (name: string, value: number, unit: string, goal?: Figure['goal']) => void

/** Returns the duration of `work` in milliseconds. */
export async function time(work: () => Promise<unknown>): Promise<number> {
  const started = performance.now()
  await work()
  return performance.now() - started
}
