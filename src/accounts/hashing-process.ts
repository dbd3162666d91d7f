import { type ChildProcess, fork } from 'node:child_process'
import { AppError } from '../errors.ts'
import { programPath } from '../program.ts'
import type { Hasher } from './argon.ts'

/** What the process is asked; `hashed` is there where a password is to be compared. */
export type Question = { id: number; password: string; hashed?: string | undefined }
export type Answer = { id: number } & ({ value: string | boolean } | { failure: string })

type Job = {
  question: Question
  /** How often it was given to a process. */
  attempts: number
  resolve: (value: string | boolean) => void
  reject: (error: Error) => void
}

type Dependencies = {
  /** The environment of the process. */
  env: NodeJS.ProcessEnv
  /** Milliseconds after which a process that has nothing to do is ended. */
  idleMs?: number
}

const PROGRAM = programPath('password-hasher')

/** It holds some 50 MB, and starting it again takes a tenth of a second. */
const IDLE_MS = 300_000

/** A second death while one password is being hashed may well be that password's doing. */
const MOST_ATTEMPTS = 2

/**
 * Hashes passwords in a process of its own, at a low priority, so that hashing takes neither the event
 * loop nor the threads that keep clicks. It is started when it is needed, again when it dies, and
 * ended when it has had nothing to do for a while.
 */
export function createHashingProcess({ env, idleMs = IDLE_MS }: Dependencies): Hasher & {
  close(): void
} {
  const jobs = new Map<number, Job>()
  let child: ChildProcess | undefined
  let idle: NodeJS.Timeout | undefined
  let count = 0
  let closed = false

  return {
    hash: async (password) => String(await ask({ password })),
    verify: async (hashed, password) => (await ask({ password, hashed })) === true,

    /** Ends the process; what it was asked, and all that comes later, is AppError `busy`. */
    close(): void {
      closed = true
      end()
      for (const { reject } of jobs.values()) reject(new AppError('busy'))
      jobs.clear()
    },
  }

  function ask(given: Omit<Question, 'id'>): Promise<string | boolean> {
    if (closed) return Promise.reject(new AppError('busy'))
    count += 1
    const question = { id: count, ...given }
    return new Promise((resolve, reject) => {
      const job = { question, attempts: 0, resolve, reject }
      jobs.set(question.id, job)
      give(job)
    })
  }

  function give(job: Job): void {
    clearTimeout(idle)
    job.attempts += 1
    child ??= start()
    // A process that is gone by now says so itself.
    child.send(job.question, () => {})
  }

  function start(): ChildProcess {
    const started = fork(PROGRAM, {
      env,
      execArgv: ['--max-old-space-size=32', '--max-semi-space-size=1'],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.on('message', (answer: Answer) => finish(answer))
    // The one where it cannot be started, the other where it ends.
    started.on('error', () => lose(started))
    started.on('exit', () => lose(started))
    return started
  }

  function finish(answer: Answer): void {
    const job = jobs.get(answer.id)
    jobs.delete(answer.id)
    if ('failure' in answer) job?.reject(new Error(answer.failure))
    else job?.resolve(answer.value)
    if (jobs.size === 0) idle = setTimeout(end, idleMs).unref()
  }

  function lose(lost: ChildProcess): void {
    if (child !== lost) return
    child = undefined
    for (const job of [...jobs.values()]) {
      if (job.attempts < MOST_ATTEMPTS) give(job)
      else {
        jobs.delete(job.question.id)
        job.reject(new AppError('busy'))
      }
    }
  }

  function end(): void {
    clearTimeout(idle)
    const ended = child
    child = undefined
    ended?.kill('SIGKILL')
  }
}
