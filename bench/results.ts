import { readFile, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { type Figure, toTable } from './figures.ts'

type Machine = { cpu: string; cores: number; memoryGiB: number; system: string; node: string }
type Results = {
  machine: Machine
  sections: Record<string, { takenAt: string; figures: Figure[] }>
}

const JSON_FILE = fileURLToPath(new URL('./results.json', import.meta.url))
const TABLE_FILE = fileURLToPath(new URL('./results.md', import.meta.url))

/**
 * Writes a section's figures into `results.json` and `results.md`, beside what other sections showed
 * on the same machine; results of another machine are dropped, since they cannot be compared.
 */
export async function keepResults(section: string, figures: Figure[]): Promise<void> {
  const machine = describeMachine()
  const before = await readResults()
  const kept = JSON.stringify(before?.machine) === JSON.stringify(machine) ? before?.sections : {}
  const takenAt = new Date().toISOString()
  const results: Results = { machine, sections: { ...kept, [section]: { takenAt, figures } } }
  await writeFile(JSON_FILE, `${JSON.stringify(results, null, 2)}\n`)
  await writeFile(TABLE_FILE, toMarkdown(results))
}

function describeMachine(): Machine {
  const [first] = cpus()
  return {
    cpu: first?.model ?? 'unknown',
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
  }
}

async function readResults(): Promise<Results | undefined> {
  try {
    return JSON.parse(await readFile(JSON_FILE, 'utf8')) as Results
  } catch {
    return undefined
  }
}

function toMarkdown({ machine, sections }: Results): string {
  const { cpu, cores, memoryGiB, system, node } = machine
  const parts = Object.entries(sections).map(
    ([name, { takenAt, figures }]) =>
      `## ${name}\n\n${takenAt.slice(0, 10)}\n\n${toTable(figures)}\n`,
  )
  return [
    '# Measured\n',
    `By \`npm run bench\` on ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node.js ${node}.\n`,
    ...parts,
  ].join('\n')
}
