import { createInterface } from 'node:readline/promises'
import { type Readable, Writable } from 'node:stream'
import type { Terminal } from './command.ts'

/** Milliseconds between two updates. */
const UPDATE_MS = 100
const WIDTH = 24

/**
 * Creates a progress bar with a short label, such as `importing`, the completed share, the rate and
 * the remaining time. Without a terminal, it does nothing.
 */
export function createProgressBar(terminal: Terminal | undefined, label: string) {
  const startedAt = performance.now()
  let drawnAt = -Infinity

  function draw(share: number | undefined, count: number): void {
    if (!terminal || performance.now() - drawnAt < UPDATE_MS) return
    drawnAt = performance.now()
    const seconds = Math.max((drawnAt - startedAt) / 1000, 0.001)
    const rate = `${Math.round(count / seconds)}/s`
    const texts = [
      label,
      share === undefined ? undefined : formatBar(share),
      `${count} links`,
      rate,
    ]
    if (share !== undefined && share > 0)
      texts.push(`${formatTime((seconds / share) * (1 - share))} left`)
    const line = texts.filter(Boolean).join('  ')
    terminal.write(`\r\u001b[K${line.slice(0, (terminal.columns ?? 80) - 1)}`)
  }

  return {
    /** Shows a share (0 to 1, if known) and a number of links. */
    draw,
    /** Removes the bar. */
    clear(): void {
      if (drawnAt > -Infinity) terminal?.write('\r\u001b[K')
    },
  }
}

function formatBar(share: number): string {
  const full = Math.round(Math.min(1, share) * WIDTH)
  return `[${'#'.repeat(full)}${'.'.repeat(WIDTH - full)}] ${Math.floor(Math.min(1, share) * 100)} %`
}

function formatTime(seconds: number): string {
  const whole = Math.ceil(seconds)
  if (whole < 60) return `${whole} s`
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`
}

/** Returns whether a stream is an interactive terminal. */
export function isTerminal(stream: Readable | Writable): boolean {
  return 'isTTY' in stream && stream.isTTY === true
}

/** Prompts for a secret without echo. */
export async function readSecret(
  question: string,
  input: Readable,
  output: Writable,
): Promise<string> {
  const discardedOutput = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output: discardedOutput, terminal: true })
  output.write(`${question}: `)
  try {
    return await lines.question('')
  } finally {
    lines.close()
    output.write('\n')
  }
}
