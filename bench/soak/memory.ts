import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Product } from '../../test/support/product.ts'

export type Sample = { seconds: number; mebibytes: ReadonlyMap<string, number> }

/** Returns the resident memory of each of the service's processes. */
export async function sampleMemory(product: Product, seconds: number): Promise<Sample> {
  const pids = new Map([['main', product.pid]])
  for (const kind of ['worker', 'importer'] as const) {
    const found = await product.processes(`${kind}.ts`)
    for (const [index, pid] of found.entries()) pids.set(`${kind} ${index + 1}`, pid)
  }
  const mebibytes = new Map<string, number>()
  for (const [name, pid] of pids) mebibytes.set(name, await residentMemory(pid))
  return { seconds, mebibytes }
}

/** Returns the growth factor of a process from the first third of the run to the last. */
export function growthOf(samples: readonly Sample[], name: string): number {
  const third = Math.max(1, Math.floor(samples.length / 3))
  return meanOf(samples.slice(-third), name) / meanOf(samples.slice(0, third), name)
}

/**
 * Formats the memory over time as a table of at most `rows` lines, with the growth of each process.
 */
export function memoryCurve(samples: readonly Sample[], rows = 15): string {
  const names = [...new Set(samples.flatMap(({ mebibytes }) => [...mebibytes.keys()]))]
  const line = (first: string, cells: readonly string[]) =>
    [first.padEnd(14), ...cells.map((cell) => cell.padStart(12))].join(' ')
  const step = Math.max(1, Math.ceil(samples.length / rows))
  const third = Math.max(1, Math.floor(samples.length / 3))
  const means = (part: readonly Sample[]) => names.map((name) => meanOf(part, name).toFixed(0))
  return [
    line('MiB after', names),
    ...samples
      .filter((_sample, index) => index % step === 0)
      .map(({ seconds, mebibytes }) =>
        line(
          `${Math.round(seconds)} s`,
          names.map((name) => mebibytes.get(name)?.toFixed(0) ?? 'gone'),
        ),
      ),
    line('first third', means(samples.slice(0, third))),
    line('last third', means(samples.slice(-third))),
    line(
      'growth',
      names.map((name) => `x ${growthOf(samples, name).toFixed(2)}`),
    ),
  ].join('\n')
}

function meanOf(samples: readonly Sample[], name: string): number {
  const found = samples.flatMap(({ mebibytes }) => mebibytes.get(name) ?? [])
  return found.reduce((sum, value) => sum + value, 0) / found.length
}

async function residentMemory(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}
