import type { Config } from '../config.ts'

const RULE = '─'.repeat(76)

/** Not a line of the log: it is for the person who started this, also where the log is piped. */
export function block({ baseUrl, console, dataDir }: Config, body: string): string {
  return `
${RULE}
Open      ${baseUrl}${console ? '/console' : ''}  (API: ${baseUrl}/docs)
Data      ${dataDir}
${body}${RULE}

`
}
