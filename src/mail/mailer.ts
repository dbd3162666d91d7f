import type { Transporter } from 'nodemailer'

export type Mail = {
  to: string
  subject: string
  text: string
  /** The text as HTML. */
  html?: string
  headers?: Readonly<Record<string, string>>
}

export type Mailer = ReturnType<typeof createMailer>

/**
 * Timeouts in milliseconds after which a server counts as unreachable. SMTP_URL may override them.
 */
const TIMEOUTS_MS = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 20_000 }

/**
 * Thrown if an email was not sent. The message contains neither the recipient nor the content,
 * because it appears in logs and metrics.
 */
export class MailError extends Error {
  /** Whether the server rejected this email permanently, so that there is no point in retrying. */
  readonly permanent: boolean

  constructor(message: string, { permanent, ...options }: ErrorOptions & { permanent: boolean }) {
    super(message, options)
    this.permanent = permanent
  }
}

/** Creates the sender of emails, which uses the configured SMTP server. */
export function createMailer({ smtpUrl, from }: { smtpUrl: string; from: string }) {
  let transport: Promise<Transporter> | undefined

  // Loaded with the first email, because most installations send none.
  async function openTransport(): Promise<Transporter> {
    const { createTransport } = await import('nodemailer')
    return createTransport(addTimeouts(smtpUrl), { from })
  }

  return {
    /** Connects to the server and signs in. @throws MailError */
    async verify(): Promise<void> {
      const transporter = await openTransport()
      try {
        await transporter.verify().catch(throwMailError)
      } finally {
        transporter.close()
      }
    },

    /**
     * Sends an email. Resolves when the server has accepted it.
     *
     * @throws MailError, also if `signal` aborts first. In that case, the server may still accept
     * the email
     */
    async send({ to, ...content }: Mail, signal?: AbortSignal): Promise<void> {
      transport ??= openTransport()
      const transporter = await transport
      // An address in an object is not parsed, so it cannot become several recipients.
      const recipient = { name: '', address: to }
      const securityOptions = { disableFileAccess: true, disableUrlAccess: true }
      const sent = transporter
        .sendMail({ to: recipient, ...content, ...securityOptions })
        .catch(throwMailError)
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

function addTimeouts(smtpUrl: string): string {
  const url = new URL(smtpUrl)
  for (const [name, milliseconds] of Object.entries(TIMEOUTS_MS)) {
    if (!url.searchParams.has(name)) url.searchParams.set(name, String(milliseconds))
  }
  return url.href
}

type SmtpError = Error & { code?: string; responseCode?: number; response?: string }

function throwMailError(cause: SmtpError): never {
  const { code = 'unknown error', responseCode, response = '' } = cause
  if (responseCode === undefined) {
    throw new MailError(`The mail server can't be reached (${code}).`, { permanent: false, cause })
  }
  // An enhanced status code (RFC 3463) is more specific than the reply code, and does not contain
  // the recipient.
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
