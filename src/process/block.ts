import type { Config } from '../config.ts'

const RULE = '─'.repeat(76)

/** Formats a text for the person who starts the service. It is not part of the log. */
export function formatStartupNotice({ baseUrl, console, dataDir }: Config, body: string): string {
  return `
${RULE}
Open      ${baseUrl}${console ? '/console' : ''}  (API: ${baseUrl}/docs)
Data      ${dataDir}
${body}${RULE}

`
}
