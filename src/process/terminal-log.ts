/** Where log lines go. */
type LogStream = { write(line: string): void }

const COLOR = /^.\[\d+m/

/**
 * Where a process sends its log: on a terminal a stream that writes each line for people, coloured and
 * in local time. Undefined elsewhere, where the lines stay JSON. What makes lines readable is loaded
 * only where it is used.
 */
export async function terminalLog(): Promise<LogStream | undefined> {
  if (!process.stdout.isTTY) return
  const { prettyFactory } = await import('pino-pretty')
  const format = prettyFactory({ ignore: 'pid,hostname', translateTime: 'SYS:yyyy-mm-dd HH:MM:ss' })
  return {
    write(line) {
      process.stdout.write(withoutControls(format(line)))
    },
  }
}

/** Text whose colours and lines stay; anything else that a terminal would obey becomes a visible mark. */
export function withoutControls(text: string): string {
  return text.replace(/\p{Cc}/gu, (control, at: number) => {
    const harmless = control === '\n' || control === '\t' || COLOR.test(text.slice(at, at + 6))
    return harmless ? control : '\ufffd'
  })
}
