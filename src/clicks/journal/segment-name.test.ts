import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs, { readFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import fc from 'fast-check'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createWriterName, formatSegmentFile, parseSegment, writerState } from './segment-name.ts'

describe('the name of a segment', () => {
  test('contains writer and sequence number', () => {
    const writer = createWriterName()
    fc.assert(
      fc.property(fc.maxSafeNat(), (sequence) => {
        const file = formatSegmentFile(writer, sequence)
        expect(parseSegment(file)).toMatchObject({ file, writer, sequence, pid: process.pid })
      }),
    )
  })

  test('is unique per journal', () => {
    expect(createWriterName()).not.toBe(createWriterName())
  })

  test.each([
    'id',
    'id.1a2b',
    'x.clicks',
    '../1.2.00000000.00000000-00000001.clicks',
    '1.2.00000000.00000000-00000001.clicks.gz',
    '1.2.00000000.00000000-0000001.clicks',
  ])('is not recognized in the file name %s', (file) => {
    expect(parseSegment(file)).toBeUndefined()
  })
})

describe('the writer of a segment', () => {
  test('is running while its process is running', () => {
    expect(readWriterState(createWriterName())).toBe('running')
  })

  test('is running regardless of the process name', async () => {
    const { pid } = await startProgram(process.execPath, [
      '--eval',
      'process.title = ") Z (b"; console.log(process.pid); setInterval(() => {}, 60_000)',
    ])
    expect(readProcessStat(pid)).toContain(`${pid} () Z (b) `)
    expect(readWriterState(createNameForProcess(pid))).toBe('running')
  })

  test('is running if its start time is unknown', () => {
    const [pid, , ...rest] = createWriterName().split('.')
    expect(readWriterState([pid, 'unknown', ...rest].join('.'))).toBe('running')
  })

  test('is running if its process belongs to another user', () => {
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => {
      throw Object.assign(new Error('kill EPERM'), { code: 'EPERM' })
    })
    expect(readWriterState(createWriterName())).toBe('running')
    kill.mockRestore()
  })

  test('is gone after its process has ended', async () => {
    expect(
      readWriterState(createWriterName().replace(/^\d+/, String(await runEndedProcess()))),
    ).toBe('gone')
  })

  test('is gone if its process is a zombie', async () => {
    const { pid, parent } = await startProgram('sh', ['-c', 'sleep 60 & echo $!; wait'])
    parent.kill('SIGSTOP')
    process.kill(pid, 'SIGKILL')
    await vi.waitUntil(() => readProcessStat(pid).includes(') Z '), { timeout: 10_000 })
    expect(readWriterState(createNameForProcess(pid))).toBe('gone')
  })

  test('is gone if another process has its PID', () => {
    const [pid, started, ...rest] = createWriterName().split('.')
    expect(readWriterState([pid, Number(started) - 1, ...rest].join('.'))).toBe('gone')
  })

  test('is unknown if it ran on another host', () => {
    const [pid, started, , id] = createWriterName().split('.')
    expect(readWriterState([pid, started, '00000000', id].join('.'))).toBe('unknown')
  })
})

describe('the host of a segment', () => {
  const boot = '/proc/sys/kernel/random/boot_id'
  const container = '/proc/self/ns/pid'
  let imports = 0
  const firstSystem = { [boot]: 'a\n', [container]: 'pid:[1]' }

  afterEach(restoreFiles)

  test('is identified by boot and container', async () => {
    const systems = [
      firstSystem,
      { ...firstSystem, [boot]: 'b\n' },
      { ...firstSystem, [container]: 'pid:[2]' },
      {},
    ]
    const writers: string[] = []
    for (const files of systems) writers.push((await withFiles(files)).createWriterName())
    const again = await withFiles(firstSystem)
    expect(writers.map((writer) => readWriterState(writer, again))).toEqual([
      'running',
      'unknown',
      'unknown',
      'unknown',
    ])
  })

  test('is not identified without /proc, where only the PID identifies a process', async () => {
    const system = await withFiles({})
    const writer = system.createWriterName()
    expect(parseSegment(formatSegmentFile(writer, 1))).toMatchObject({
      pid: process.pid,
      started: 'unknown',
    })
    expect(readWriterState(writer, system)).toBe('running')
    expect(readWriterState(writer.replace('unknown', '7'), system)).toBe('running')
    expect(readWriterState(writer.replace(/^\d+/, String(await runEndedProcess())), system)).toBe(
      'gone',
    )
  })

  /** Returns the module with a file system that has only these files and links. */
  async function withFiles(files: Record<string, string>) {
    const read = (path: unknown) => {
      const content = files[String(path)]
      if (content === undefined) throw new Error(`ENOENT: ${path}`)
      return content
    }
    restoreFiles()
    // Uses a new name each time, because the module caches its host.
    imports += 1
    const path = new URL(`./segment-name.ts?${imports}`, import.meta.url).href
    const module: typeof import('./segment-name.ts') = await import(/* @vite-ignore */ path)
    vi.spyOn(fs, 'readFileSync').mockImplementation(read)
    vi.spyOn(fs, 'readlinkSync').mockImplementation(read)
    syncBuiltinESMExports()
    return module
  }
})

function restoreFiles(): void {
  vi.restoreAllMocks()
  syncBuiltinESMExports()
}

function readWriterState(writer: string, system = { writerState }) {
  const segment = parseSegment(formatSegmentFile(writer, 1))
  return segment && system.writerState(segment)
}

/** Returns the writer name of a running process on this host. */
function createNameForProcess(pid: number): string {
  // The 22nd field of the file, the start time, is the 20th after the name in parentheses.
  const started = readProcessStat(pid).split(') ').at(-1)?.split(' ')[19]
  const [, , host, id] = createWriterName().split('.')
  return [pid, started, host, id].join('.')
}

function readProcessStat(pid: number): string {
  return readFileSync(`/proc/${pid}/stat`, 'latin1')
}

/** Starts a program that prints its PID. Kills it when the test ends. */
async function startProgram(program: string, args: readonly string[]) {
  const parent = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void parent.kill('SIGKILL'))
  const [line] = await once(parent.stdout, 'data')
  return { pid: Number(line), parent }
}

/** Runs a process and returns its PID after it has ended. */
async function runEndedProcess(): Promise<number | undefined> {
  const child = spawn(process.execPath, ['--eval', ''])
  await once(child, 'exit')
  return child.pid
}
