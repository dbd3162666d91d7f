import type { Terminal } from './command.ts'

type Options = {
  terminal: Terminal | undefined
  /** A short label, such as `importing`. */
  label: string
  /** Returns milliseconds, from which the rate and the remaining time are calculated. */
  now: () => number
}

/** Milliseconds between two updates. */
const UPDATE_MS = 100
const WIDTH = 24

/**
 * Creates a progress bar with the completed share, the rate and the remaining time. Without a
 * terminal, it does nothing.
 */
export function createProgressBar({ terminal, label, now }: Options) {
  const startedAt = now()
  let drawnAt = -Infinity

  function draw(share: number | undefined, count: number): void {
    if (!terminal || now() - drawnAt < UPDATE_MS) return
    drawnAt = now()
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
