import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { childEnvironment } from '../../../src/config.ts'
import { send } from './http.ts'
import { childrenOf, signal, until } from './processes.ts'

export type Product = ReturnType<typeof createProduct>

type Settings = {
  databaseUrl: string
  dataDir: string
  port: number
  env?: Record<string, string>
}

export type LogLine = { level: number; msg: string } & Record<string, unknown>

const MAIN = fileURLToPath(new URL('../../../src/main.ts', import.meta.url))

/**
 * The real service as a process group of its own, which can be started, killed and started again on
 * the same port and data folder. Everything it logs from `warn` on is kept.
 */
export function createProduct({ databaseUrl, dataDir, port, env = {} }: Settings) {
  const origin = `http://127.0.0.1:${port}`
  const log: LogLine[] = []
  const noise: string[] = []
  let child: ChildProcess | undefined

  /** Starts it and waits until it is ready. */
  async function start(): Promise<void> {
    launch()
    await ready()
  }

  /** Starts it, with other settings where they are given, and does not wait. */
  function launch(more: Record<string, string> = {}): void {
    const started = spawn(process.execPath, [MAIN], {
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: childEnvironment({
        // The test runner has a variable of this name for itself.
        BASE_URL: '',
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        PORT: String(port),
        HOST: '127.0.0.1',
        TRUST_PROXY: '127.0.0.1/32',
        RATE_LIMIT_PER_MINUTE: '1000000',
        DOMAIN_CHECK: 'off',
        LOG_LEVEL: 'warn',
        ...env,
        ...more,
      }),
    })
    child = started
    readLines(started)
  }

  function readLines({ stdout, stderr }: ChildProcess): void {
    let rest = ''
    stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (line.startsWith('{')) log.push(JSON.parse(line) as LogLine)
      }
    })
    stderr?.setEncoding('utf8').on('data', (text: string) => noise.push(text))
  }

  async function ready(): Promise<void> {
    const answers = async () => {
      if (child && ended(child)) throw new Error(`the service ended: ${noise.join('')}`)
      return send(`${origin}/health/ready`).then(
        ({ status }) => status === 200,
        () => false,
      )
    }
    // Test files that run side by side may leave this one little of the processor.
    await until('the service is ready', answers, { within: 60_000, every: 50 })
  }

  async function processes(file: 'worker.ts' | 'importer.ts'): Promise<number[]> {
    const children = child?.pid ? await childrenOf(child.pid) : []
    return children.filter(({ command }) => command.includes(file)).map(({ pid }) => pid)
  }

  /** Waits until it has a running process of this kind, and gives one. */
  async function processOf(file: 'worker.ts' | 'importer.ts'): Promise<number> {
    let found: number | undefined
    await until(`a process runs ${file}`, async () => {
      found = (await processes(file))[0]
      return found !== undefined
    })
    return found ?? 0
  }

  return {
    origin,
    port,
    dataDir,
    log,
    /** What it wrote to stderr, where nothing belongs. */
    noise,
    start,
    launch,
    ready,
    processes,
    processOf,
    get pid(): number {
      return child?.pid ?? 0
    },

    /** Kills all of its processes at once with SIGKILL. */
    async kill(): Promise<void> {
      if (!child?.pid || ended(child)) return
      const exit = once(child, 'exit')
      signal(-child.pid, 'SIGKILL')
      await exit
    },

    /** Has it stop as a service manager does; gives its exit code. */
    async stop(): Promise<number | null> {
      if (!child?.pid || ended(child)) return child?.exitCode ?? null
      const exit = once(child, 'exit')
      signal(child.pid, 'SIGTERM')
      const [code] = (await exit) as [number | null]
      return code
    },
  }
}

function ended({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null
}
