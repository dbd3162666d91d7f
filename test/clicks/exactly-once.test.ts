import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished } from 'vitest'
import { checkStatistics } from '../../src/clicks/read.ts'
import { createChildEnvironment } from '../../src/config.ts'
import { createTestImporter, visitorOf } from '../support/clicks.ts'
import type { TestDatabase } from '../support/database.ts'
import { listSegments } from '../support/imports.ts'
import { rawClicks } from '../support/raw-clicks.ts'
import { accountTest } from '../support/test.ts'

const test = accountTest().extend(
  'makeLinks',
  { scope: 'file' },
  ({ database, account }) =>
    async (count: number): Promise<number[]> => {
      makeLinksCalls += 1
      const { rows } = await database.pool.query<{ id: number }>(
        `insert into links (account_id, alias, url)
     select $1::bigint, $2 || n, 'https://example.com/'
     from generate_series(1, $3) n returning id`,
        [account, `link-${makeLinksCalls}-`, count],
      )
      return rows.map(({ id }) => id)
    },
)

/** Makes the aliases of each call of `makeLinks` unique. */
let makeLinksCalls = 0

describe('an acknowledged click is recorded exactly once', () => {
  test.for([
    ['before append', 20],
    ['after append', 20],
  ] as const)('if the writer is killed %s', async ([point, nth], { database, makeLinks }) => {
    const dir = createFolder()
    const links = await makeLinks(3)
    const writer = startWriter(dir, links, 0, 2000, point, nth)
    expect(await waitForExit(writer.process)).toBe('SIGKILL')
    await createTestImporter(dir, database).drain()
    await expectExactlyOnce(database, links, writer.acknowledged())
    expect(listSegments(dir)).toEqual([])
  })

  test.for([
    ['before commit', 1],
    ['after commit', 1],
    ['before commit', 3],
    ['after commit', 3],
    ['while a segment is dropped', 2],
  ] as const)(
    'if the importer is killed %s (occurrence %i)',
    async ([point, nth], { database, makeLinks }) => {
      const dir = createFolder()
      const links = await makeLinks(3)
      const writer = startWriter(dir, links, 0, 2000)
      expect(await waitForExit(writer.process)).toBe(0)
      expect(await waitForExit(startImporter(database, dir, 'drain', point, nth))).toBe('SIGKILL')
      await createTestImporter(dir, database).drain()
      await expectExactlyOnce(database, links, writer.acknowledged())
      expect(listSegments(dir)).toEqual([])
      expect(await countPositions(database)).toBe(0)
    },
  )

  test('under load, while writers and importers are killed repeatedly', async ({
    database,
    makeLinks,
  }) => {
    const dir = createFolder()
    const links = await makeLinks(5)
    const acknowledged: number[] = []
    for (let round = 0; round < 4; round += 1) {
      const writers = [0, 1].map((writer) =>
        startWriter(dir, links, (round * 2 + writer) * 20_000, 20_000),
      )
      const importer = startImporter(database, dir, 'run')
      await waitUntil(() => writers.every((writer) => writer.acknowledged().length > 400))
      importer.kill('SIGKILL')
      for (const writer of writers) writer.process.kill('SIGKILL')
      for (const process of [importer, ...writers.map((writer) => writer.process)]) {
        expect(await waitForExit(process)).toBe('SIGKILL')
      }
      acknowledged.push(...writers.flatMap((writer) => writer.acknowledged()))
    }
    await createTestImporter(dir, database).drain()
    await expectExactlyOnce(database, links, acknowledged)
    expect(listSegments(dir)).toEqual([])
  }, 60_000)

  test('if two importers share a folder and two folders share a database', async ({
    database,
    makeLinks,
  }) => {
    const sharedDir = createFolder()
    const otherDir = createFolder()
    const links = await makeLinks(4)
    const writers = [
      startWriter(sharedDir, links, 0, 1500),
      startWriter(sharedDir, links, 100_000, 1500),
      startWriter(otherDir, links, 200_000, 1500),
    ]
    const importers = [sharedDir, sharedDir, otherDir].map((dir) =>
      startImporter(database, dir, 'run'),
    )
    for (const writer of writers) expect(await waitForExit(writer.process)).toBe(0)
    await waitUntil(() => [sharedDir, otherDir].every((dir) => listSegments(dir).length === 0))
    for (const importer of importers) importer.kill('SIGTERM')
    for (const importer of importers) expect(await waitForExit(importer)).toBe(0)
    await expectExactlyOnce(
      database,
      links,
      writers.flatMap((writer) => writer.acknowledged()),
    )
  })
})

/** Expects each acknowledged click to have one raw click, and correct statistics of the links. */
async function expectExactlyOnce(
  database: TestDatabase,
  links: number[],
  acknowledged: number[],
): Promise<void> {
  const rows = await rawClicks(database.pool, links)
  const recorded = new Set(rows.map(({ visitor }) => visitor))
  const lost = acknowledged.filter((identity) => !recorded.has(visitorOf(identity)))
  const duplicated = rows.length - recorded.size
  console.log(
    JSON.stringify({
      acknowledged: acknowledged.length,
      recorded: rows.length,
      lost: lost.length,
      duplicated,
    }),
  )
  expect(acknowledged.length).toBeGreaterThan(0)
  expect(lost).toEqual([])
  expect(duplicated).toBe(0)
  const { rows: totals } = await database.pool.query(
    `select sum(clicks) as clicks, sum(visitors) as visitors
     from click_totals natural join click_details where link_id = any($1::bigint[])`,
    [links],
  )
  expect(totals).toEqual([{ clicks: String(rows.length), visitors: String(rows.length) }])
  expect(await Array.fromAsync(checkStatistics(database.db))).toEqual([])
}

function createFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'brevis-clicks-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  return dir
}

async function countPositions(database: TestDatabase): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    'select count(*) from journal_positions',
  )
  return rows[0]?.count ?? 0
}

/**
 * Starts a process that appends `count` clicks with the identities from `first`. It kills itself if
 * `fault` names a point and how often it is reached.
 */
function startWriter(
  dir: string,
  links: number[],
  first: number,
  count: number,
  ...fault: unknown[]
) {
  const process = startFixture('click-writer.ts', [dir, links.join(), first, count, ...fault])
  let output = ''
  process.stdout?.setEncoding('latin1').on('data', (text: string) => {
    output += text
  })
  const acknowledged = () => output.split('\n').slice(0, -1).map(Number)
  return { process, acknowledged }
}

function startImporter(
  database: TestDatabase,
  dir: string,
  mode: 'run' | 'drain',
  ...fault: unknown[]
): ChildProcess {
  return startFixture('click-importer.ts', [dir, database.url, mode, ...fault])
}

function startFixture(fixture: string, args: readonly unknown[]): ChildProcess {
  const file = new URL(`../support/${fixture}`, import.meta.url).pathname
  const child = spawn(process.execPath, [file, ...args.map(String)], {
    env: createChildEnvironment(inject('compileCache')),
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const closed = new Promise((resolve) => child.once('close', resolve))
  exits.set(child, closed)
  return child
}

const exits = new WeakMap<ChildProcess, Promise<unknown>>()

/** Returns the exit code or signal of a process after its output was read. */
async function waitForExit(child: ChildProcess): Promise<number | string | null> {
  await exits.get(child)
  return child.signalCode ?? child.exitCode
}

async function waitUntil(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20))
}
