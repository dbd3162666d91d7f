/** A destination for log lines. */
type LogStream = { write(line: string): void }

/** Matches an escape sequence that sets a color. */
const COLOR = /^.\[\d{1,3}m/

/**
 * Returns a stream that formats log lines for a terminal, with colors and local time. Returns
 * undefined if there is no terminal. The formatter is loaded on demand.
 */
export async function createTerminalLog(): Promise<LogStream | undefined> {
  if (!process.stdout.isTTY) return
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:yyyy-mm-dd HH:MM:ss' })
  return {
    write(line) {
      process.stdout.write(replaceControls(format(line)))
    },
  }
}

/** Replaces control characters with visible symbols, except for colors and line breaks. */
export function replaceControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control, at: number) => {
    const harmless = control === '\n' || control === '\t' || COLOR.test(text.slice(at, at + 6))
    return harmless ? control : '\ufffd'
  })
}
