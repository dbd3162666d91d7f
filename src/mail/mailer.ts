import type { Transporter } from 'nodemailer'

export type Mail = { to: string; subject: string; text: string }

export type Mailer = ReturnType<typeof createMailer>

/** A server that says nothing for so long counts as unreachable; SMTP_URL may set other times. */
const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/** A mail was not sent. The message names neither recipient nor content: logs and metrics show it. */
export class MailError extends Error {
  /** Whether the server rejected this mail, so that another attempt is pointless. */
  readonly permanent: boolean

  constructor(message: string, { permanent, ...options }: ErrorOptions & { permanent: boolean }) {
    super(message, options)
    this.permanent = permanent
  }
}

/** Sends mail through the SMTP server of the settings. */
export function createMailer({ smtpUrl, from }: { smtpUrl: string; from: string }) {
  let transport: Promise<Transporter> | undefined

  // Loaded with the first mail, since most installations send none.
  async function openTransport(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport(withTimeouts(smtpUrl), { from })
  }

  return {
    /**
     * Resolves once the server has taken the mail.
     *
     * @throws MailError, also when `signal` comes first; the server may still take the mail then
     */
    async send({ to, subject, text }: Mail, signal?: AbortSignal): Promise<void> {
      transport ??= openTransport()
      const opened = await transport
      // An address as an object is not parsed, so that it stays one recipient.
      const recipient = { name: '', address: to }
      const own = { disableFileAccess: true, disableUrlAccess: true }
      const sent = opened.sendMail({ to: recipient, subject, text, ...own }).catch(explain)
      await Promise.race([sent, rejectOnAbort(signal)])
    },
  }
}

function rejectOnAbort(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_resolve, reject) => {
    const rejectNow = () =>
      reject(new MailError('Interrupted by a shutdown.', { permanent: false }))
    signal?.addEventListener('abort', rejectNow, { once: true })
  })
}

function withTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const [name, milliseconds] of Object.entries(TIMEOUTS_MS)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(milliseconds))
  }
  return url.href
}

type SmtpError = Error & { code?: string; responseCode?: number; response?: string }

function explain(cause: SmtpError): never {
  const { code = 'unknown error', responseCode, response = '' } = cause
  if (responseCode === undefined) {
    throw new MailError(`The mail server can't be reached (${code}).`, { permanent: false, cause })
  }
  // An enhanced status code (RFC 3463) says more than the reply code, and nothing about the recipient.
  const [status = ''] = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(response) ?? []
  const reply = [responseCode, status].filter(Boolean).join(' ')
  if (code === 'EAUTH') {
    throw new MailError(`The mail server rejected the sign-in (${reply}).`, {
      permanent: false,
      cause,
    })
  }
  const permanent = responseCode >= 500 && (code === 'EENVELOPE' || code === 'EMESSAGE')
  throw new MailError(`The mail server rejected the mail (${reply}).`, { permanent, cause })
}
