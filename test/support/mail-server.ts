import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type ParsedMail, simpleParser } from 'mailparser'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { vi } from 'vitest'

export type MailServer = Awaited<ReturnType<typeof openMailServer>>

const WAIT_OPTIONS = { timeout: 60_000, interval: 20 }

/** Starts an SMTP server on loopback that stores received mail. */
export async function openMailServer(options: SMTPServerOptions = {}, port = 0) {
  const received: ParsedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, _session, done) {
      simpleParser(stream).then((mail) => {
        received.push(mail)
        done()
      }, done)
    },
    ...options,
  })
  server.on('error', () => {})
  server.listen(port, '127.0.0.1')
  await once(server.server, 'listening')
  const address = server.server.address() as AddressInfo
  return {
    received,
    port: address.port,
    url: `smtp://127.0.0.1:${address.port}`,
    /** Waits until this many mails have arrived, and returns all. */
    async waitForMails(count: number): Promise<ParsedMail[]> {
      await vi.waitUntil(() => received.length >= count, WAIT_OPTIONS)
      return received
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

/** Returns the first URL in the text of a mail. */
export function firstUrlIn({ text = '' }: ParsedMail): string {
  return /https?:\/\/\S+/.exec(text)?.[0] ?? ''
}
