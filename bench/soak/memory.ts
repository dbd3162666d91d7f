import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Instance } from '../../test/support/instance.ts'

export type Sample = { seconds: number; mebibytes: ReadonlyMap<string, number> }

/** Returns the resident memory of each process of the service in MiB. */
export async function sampleMemory(instance: Instance, seconds: number): Promise<Sample> {
  const pids = new Map([['main', instance.pid]])
  for (const kind of ['worker', 'importer'] as const) {
    const processes = await instance.listPids(`${kind}.ts`)
    for (const [index, pid] of processes.entries()) pids.set(`${kind} ${index + 1}`, pid)
  }
  const mebibytes = new Map<string, number>()
  for (const [name, pid] of pids) mebibytes.set(name, await readResidentMebibytes(pid))
  return { seconds, mebibytes }
}

/** Returns the factor by which a process grew from the first third of the run to the last third. */
export function growthFactor(samples: readonly Sample[], name: string): number {
  const third = Math.max(1, Math.floor(samples.length / 3))
  return (
    averageMebibytes(samples.slice(-third), name) / averageMebibytes(samples.slice(0, third), name)
  )
}

/**
 * Formats memory over time as a table with at most `rows` samples and the growth of each process.
 */
export function formatMemory(samples: readonly Sample[], rows = 15): string {
  const names = [...new Set(samples.flatMap(({ mebibytes }) => [...mebibytes.keys()]))]
  const formatLine = (first: string, cells: readonly string[]) =>
    [first.padEnd(14), ...cells.map((cell) => cell.padStart(12))].join(' ')
  const step = Math.max(1, Math.ceil(samples.length / rows))
  const third = Math.max(1, Math.floor(samples.length / 3))
  const formatMeans = (part: readonly Sample[]) =>
    names.map((name) => averageMebibytes(part, name).toFixed(0))
  return [
    formatLine('MiB after', names),
    ...samples
      .filter((_sample, index) => index % step === 0)
      .map(({ seconds, mebibytes }) =>
        formatLine(
          `${Math.round(seconds)} s`,
          names.map((name) => mebibytes.get(name)?.toFixed(0) ?? 'gone'),
        ),
      ),
    formatLine('first third', formatMeans(samples.slice(0, third))),
    formatLine('last third', formatMeans(samples.slice(-third))),
    formatLine(
      'growth',
      names.map((name) => `x ${growthFactor(samples, name).toFixed(2)}`),
    ),
  ].join('\n')
}

function averageMebibytes(samples: readonly Sample[], name: string): number {
  const values = samples.flatMap(({ mebibytes }) => mebibytes.get(name) ?? [])
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

async function readResidentMebibytes(pid: number): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(pid)])
  return Number(stdout) / 1024
}
