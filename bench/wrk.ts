import { spawn } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { OTHER_CORE } from './processes.ts'

export type WrkResult = {
  requests: number
  seconds: number
  /** Requests per second. */
  rate: number
  /** Percentiles of the response time in milliseconds. */
  p50: number
  p99: number
  /** The number of failed requests and error replies. Always 0 unless `toleratesErrors` is set. */
  failed: number
}

type Options = {
  url: string
  /** A Lua script with wrk's function `request`, and optionally `init` and `delay`. */
  script: string
  seconds: number
  connections?: number
  /** The cores for wrk. By default, the core that the server does not use. */
  cores?: number | string
  /** Whether to count failed requests instead of throwing. */
  toleratesErrors?: boolean
}

const DONE = `
function done(summary, latency)
  local errors = summary.errors
  io.write(string.format('\\nRESULT {"requests":%d,"us":%d,"p50":%d,"p99":%d,"errorReplies":%d,"failedRequests":%d}\\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout))
end
`

/** Sends requests to `url` with wrk. By default, throws if a request failed or returned an error. */
export async function runWrk(options: Options): Promise<WrkResult> {
  const { url, script, seconds, connections = 64, cores = OTHER_CORE } = options
  const { toleratesErrors = false } = options
  const folder = await mkdtemp(join(tmpdir(), 'brevis-wrk-'))
  const file = join(folder, 'load.lua')
  try {
    await writeFile(file, script + DONE)
    const wrk = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, '--timeout', '10s', '-s', file]
    const output = await runProcess(['-c', String(cores), ...wrk, url], (seconds + 30) * 1000)
    const result = /^RESULT (.*)$/m.exec(output)?.[1]
    if (!result) throw new Error(`wrk printed no result:\n${output}`)
    const { requests, us, p50, p99, errorReplies, failedRequests } = JSON.parse(result)
    const failed = errorReplies + failedRequests
    if (failed > 0 && !toleratesErrors) {
      throw new Error(
        `${errorReplies} of ${requests} replies were errors, and ${failedRequests} requests failed`,
      )
    }
    if (requests === 0) throw new Error(`no request succeeded within ${seconds} s`)
    const elapsedSeconds = us / 1e6
    const rate = requests / elapsedSeconds
    return { requests, seconds: elapsedSeconds, rate, p50: p50 / 1000, p99: p99 / 1000, failed }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

function runProcess(args: readonly string[], timeout: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn('taskset', args, { stdio: ['ignore', 'pipe', 'pipe'], timeout })
    let output = ''
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.stderr.on('data', (chunk: Buffer) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', (code) => {
      if (code === 0) resolve(output)
      else reject(new Error(`wrk exited with ${code}: ${output.trim()}`))
    })
  })
}
