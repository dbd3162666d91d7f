import type { ChildProcess } from 'node:child_process'

type Message = { type?: string }

const INTERVAL_MS = 1000

/**
 * Makes this process answer the watchdog of its parent process. It answers from the event loop, so
 * a process that hangs does not.
 */
export function answerWatchdog(): void {
  process.on('message', ({ type }: Message) => {
    if (type === 'brevis:ping')
      process.send?.({ type: 'brevis:pong' }, undefined, undefined, () => {})
  })
}

/**
 * Kills a child process that has answered before and then leaves `seconds` pings in a row
 * unanswered, one per second. The caller restarts it. Counts pings instead of time, because this
 * process may be suspended as well, with the whole machine. Does nothing if `seconds` is 0.
 */
export function watchProcess(child: ChildProcess, seconds: number, onHang: () => void): void {
  if (seconds === 0) return
  let hasAnswered = false
  let unanswered = 0
  child.on('message', ({ type }: Message) => {
    if (type !== 'brevis:pong') return
    hasAnswered = true
    unanswered = 0
  })
  const timer = setInterval(() => {
    if (hasAnswered && unanswered >= seconds) {
      clearInterval(timer)
      onHang()
      child.kill('SIGKILL')
      return
    }
    unanswered += 1
    if (child.connected) child.send({ type: 'brevis:ping' }, () => {})
  }, INTERVAL_MS)
  timer.unref()
  child.once('exit', () => clearInterval(timer))
}
