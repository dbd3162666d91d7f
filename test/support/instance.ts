import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { createChildEnvironment } from '../../src/config.ts'
import { until } from './processes.ts'
import { launch as launchService, type Service } from './service.ts'

export type Instance = ReturnType<typeof createInstance>

type Settings = {
  databaseUrl: string
  dataDir: string
  port: number
  env?: Record<string, string>
}

type ProcessFile = 'worker.ts' | 'importer.ts' | 'hand-over.ts'

export type LogLine = { level: number; msg: string } & Record<string, unknown>

const MAIN = fileURLToPath(new URL('../../src/main.ts', import.meta.url))

/**
 * Creates a controller of one instance of the service, which can be started, killed and restarted on
 * the same port and data folder. Log lines from level `warn` are recorded.
 */
export function createInstance({ databaseUrl, dataDir, port, env = {} }: Settings) {
  const starts: Service[] = []
  const latestStart = () => starts.at(-1)

  async function launch(more: Record<string, string> = {}): Promise<Service> {
    const service = await launchService({
      command: [process.execPath, MAIN],
      env: createChildEnvironment({
        // Vitest sets a variable of this name.
        BASE_URL: '',
        DATABASE_URL: databaseUrl,
        DATA_DIR: dataDir,
        PORT: String(port),
        HOST: '127.0.0.1',
        TRUST_PROXY: '127.0.0.1/32',
        RATE_LIMIT_PER_MINUTE: '1000000',
        DOMAIN_CHECK: 'off',
        LOG_LEVEL: 'warn',
        JOURNAL_RESERVE_MB: '0',
        DRAIN_SECONDS: '0',
        WATCHDOG_SECONDS: '0',
        ...env,
        ...more,
      }),
    })
    starts.push(service)
    return service
  }

  /** Starts it and waits until it is ready. */
  async function start(): Promise<void> {
    await (await launch()).waitUntilReady()
  }

  async function listPids(file: ProcessFile): Promise<number[]> {
    const all = (await latestStart()?.listProcesses()) ?? []
    return all.filter((process) => process.file.endsWith(file)).map(({ pid }) => pid)
  }

  /** Waits for a running process of this kind and returns its id. */
  async function waitForProcess(file: ProcessFile): Promise<number> {
    let pid: number | undefined
    await until(`a process runs ${file}`, async () => {
      pid = (await listPids(file))[0]
      return pid !== undefined
    })
    return pid ?? 0
  }

  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    dataDir,
    /** All JSON lines logged since the first start. */
    get log(): LogLine[] {
      const lines = starts.flatMap((service) => service.stdout().split('\n').slice(0, -1))
      return lines.filter((line) => line.startsWith('{')).map(parseLogLine)
    },
    /** The non-empty outputs to stderr, one per start. There should be none. */
    get stderrTexts(): string[] {
      return starts.map((service) => service.stderr()).filter((text) => text !== '')
    },
    launch,
    start,
    /** Starts it again if a test that failed has left it stopped. */
    async startIfStopped(): Promise<void> {
      if (latestStart()?.hasEnded()) await start()
    },
    /** Waits until the last start is ready. */
    async ready(): Promise<void> {
      await latestStart()?.waitUntilReady()
    },
    listPids,
    waitForProcess,
    get pid(): number {
      return latestStart()?.pid ?? 0
    },

    /** Kills all of its processes with SIGKILL, including orphans. */
    async kill(): Promise<void> {
      const service = latestStart()
      if (!service) return
      if (service.hasEnded()) return service.end()
      service.signalAll('SIGKILL')
      await service.waitForExit()
    },

    /** Stops it like a service manager and returns its exit code. */
    async stop(): Promise<number | null> {
      const service = latestStart()
      if (!service?.hasEnded()) service?.signal('SIGTERM')
      return (await service?.waitForExit()) ?? null
    },
  }
}

/** Parses a line of the log. No field may occur twice: log processors keep only one, or reject the line. */
function parseLogLine(line: string): LogLine {
  const fields: LogLine = JSON.parse(line)
  expect(JSON.stringify(fields)).toHaveLength(line.length)
  return fields
}
