import { readFile, writeFile } from 'node:fs/promises'
import { cpus, release, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { DOCUMENTS, updateDocument } from './documents.ts'
import { type Figure, toTable } from './figures.ts'

type Machine = { cpu: string; cores: number; memoryGiB: number; system: string; node: string }
type Results = {
  sections: Record<string, { takenAt: string; machine: Machine; figures: Figure[] }>
}

const JSON_FILE = fileURLToPath(new URL('./results.json', import.meta.url))
const TABLE_FILE = fileURLToPath(new URL('./results.md', import.meta.url))

/** Notes below a section's table. */
const NOTES: Record<string, string> = {
  compare: `nginx has a \`map\` and writes a log line per visit; Brevis counts every click in PostgreSQL. Each has one core, with
Brevis's database and importer on it. Visits follow Zipf's law, from 200,000 visitors. The machine was busy with other work: the rate
of nginx alone varied between 20,200 and 42,200 per second with 1,000,000 links, so the ratios are approximate.

- nginx is faster and uses less memory, because it needs no database and keeps no statistics.
- Brevis is faster when links change: with 1,000,000 links, writing the map and reloading nginx takes 8.7 s.
- The failed visits are the 16 connections that nginx closed when it reloaded. A browser would reconnect.
- Neither lost a visit on SIGKILL: nginx wrote its log without a buffer.
- The goals are missed. Counting a click costs more than writing a log line, and an uncached link costs a lookup in the link store.
- A later run on a less busy machine measured only rates. With 1,000 links: nginx 146,000, Brevis 54,300, until drained 42,500 (0.29 of nginx).
  With 1,000,000 links: nginx 99,200, Brevis 27,500, until drained 18,900 (0.19 of nginx).`,
}

/**
 * Writes a section's figures to `results.json`, `results.md` and other documents. Keeps the other
 * sections. Each section names its machine, because figures from different machines are not
 * comparable.
 */
export async function saveResults(section: string, figures: Figure[]): Promise<void> {
  const before = await readResults()
  const result = { takenAt: new Date().toISOString(), machine: describeMachine(), figures }
  const results: Results = { sections: { ...before?.sections, [section]: result } }
  await writeFile(JSON_FILE, `${JSON.stringify(results, null, 2)}\n`)
  await writeDocuments(results)
}

/** Writes the figures to `results.md` and to the marked parts of other documents. */
export async function writeDocuments(results?: Results): Promise<void> {
  const { sections } = results ?? (await readResults()) ?? { sections: {} }
  await writeFile(TABLE_FILE, toMarkdown({ sections }))
  for (const name of Object.keys(DOCUMENTS)) {
    const file = new URL(`../${name}`, import.meta.url)
    await writeFile(file, updateDocument(name, await readFile(file, 'utf8'), sections))
  }
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

/** Formats all results as a document. */
export function toMarkdown({ sections }: Results): string {
  const parts = Object.entries(sections).map(([name, { takenAt, machine, figures }]) => {
    const { cpu, cores, memoryGiB, system, node } = machine
    const environment = `${takenAt.slice(0, 10)}, ${cpu}, ${cores} cores, ${memoryGiB} GiB, ${system}, Node.js ${node}`
    const note = NOTES[name] ? `\n${NOTES[name]}\n` : ''
    return `## ${name}\n\n${environment}\n\n${toTable(figures)}\n${note}`
  })
  return ['# Benchmark results\n', 'Measured by `npm run bench`.\n', ...parts].join('\n')
}
