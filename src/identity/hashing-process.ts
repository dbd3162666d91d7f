import { type ChildProcess, fork } from 'node:child_process'
import { AppError } from '../errors.ts'
import { getProgramPath } from '../program.ts'
import type { Hasher } from './argon.ts'

/** A request to the process. To verify a password, `hashed` is set. */
export type HashRequest = { id: number; password: string; hashed?: string | undefined }
export type HashReply = { id: number } & ({ value: string | boolean } | { failure: string })

type Job = {
  request: HashRequest
  /** The number of times that it was sent to a process. */
  attempts: number
  resolve: (value: string | boolean) => void
  reject: (error: Error) => void
}

type Dependencies = {
  /** The environment of the process. */
  env: NodeJS.ProcessEnv
  /** Milliseconds after which an idle process is stopped. */
  idleMs?: number
}

const PROGRAM = getProgramPath('password-hasher')

/** A process uses about 50 MB and takes a tenth of a second to start. */
const IDLE_MS = 300_000

/** If the process dies twice while hashing the same password, that password may be the cause. */
const MAX_ATTEMPTS = 2

/**
 * Creates a hasher that runs in a separate low-priority process, so that hashing blocks neither the
 * event loop nor the threads that write clicks. The process starts on demand, is restarted when it
 * dies, and is stopped when idle.
 */
export function createHashingProcess({ env, idleMs = IDLE_MS }: Dependencies): Hasher & {
  close(): void
} {
  const jobs = new Map<number, Job>()
  let child: ChildProcess | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let lastId = 0
  let isClosed = false

  return {
    hash: async (password) => String(await request({ password })),
    verify: async (hashed, password) => (await request({ password, hashed })) === true,

    /** Ends the process. Pending and later requests reject with AppError `busy`. */
    close(): void {
      isClosed = true
      killProcess()
      for (const { reject } of jobs.values()) reject(new AppError('busy'))
      jobs.clear()
    },
  }

  function request(hashRequest: Omit<HashRequest, 'id'>): Promise<string | boolean> {
    if (isClosed) return Promise.reject(new AppError('busy'))
    lastId += 1
    const request = { id: lastId, ...hashRequest }
    return new Promise((resolve, reject) => {
      const job = { request, attempts: 0, resolve, reject }
      jobs.set(request.id, job)
      assign(job)
    })
  }

  function assign(job: Job): void {
    clearTimeout(idleTimer)
    job.attempts += 1
    child ??= start()
    // If the process is gone, its exit event handles the request.
    child.send(job.request, () => {})
  }

  function start(): ChildProcess {
    const started = fork(PROGRAM, {
      env,
      execArgv: ['--max-old-space-size=32', '--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.on('message', (reply: HashReply) => finish(reply))
    // `error` means that the process could not be started, `exit` that it ended.
    started.on('error', () => handleExit(started))
    started.on('exit', () => handleExit(started))
    return started
  }

  function finish(reply: HashReply): void {
    const job = jobs.get(reply.id)
    jobs.delete(reply.id)
    if ('failure' in reply) job?.reject(new Error(reply.failure))
    else job?.resolve(reply.value)
    if (jobs.size === 0) idleTimer = setTimeout(killProcess, idleMs).unref()
  }

  function handleExit(exited: ChildProcess): void {
    if (child !== exited) return
    child = undefined
    for (const job of [...jobs.values()]) {
      if (job.attempts < MAX_ATTEMPTS) assign(job)
      else {
        jobs.delete(job.request.id)
        job.reject(new AppError('busy'))
      }
    }
  }

  function killProcess(): void {
    clearTimeout(idleTimer)
    const ended = child
    child = undefined
    ended?.kill('SIGKILL')
  }
}
