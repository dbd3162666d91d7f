import type { JobHelpers } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { abandonJob } from '../jobs/job-queue.queries.ts'
import { reserveMail } from './mail-limits.ts'
import { type Mail, MailError, type Mailer } from './mailer.ts'

type MailJob = Pick<JobHelpers, 'job' | 'abortSignal'> & {
  mailer: Mailer
  /** The account on whose behalf the mail is sent. */
  accountId: number
  /** Whether a mail over the account's limit is delayed instead of dropped. */
  mayWait?: boolean
}

/**
 * Sends the mail of a job. Over the account's limit, drops or delays it. Over the installation's
 * limit, delays it. `compose` may return nothing if the mail is obsolete. It runs on every attempt,
 * so that the secrets it issues are not stored elsewhere.
 *
 * @throws Error if the mail was not sent and the job is to be retried or was abandoned
 */
export async function sendMail(
  { config, log }: Pick<Context, 'config' | 'log'>,
  db: Db,
  { job, abortSignal, mailer, accountId, mayWait = false }: MailJob,
  compose: () => Promise<Mail | undefined>,
): Promise<void> {
  const { rejection, undo } = await reserveMail(db, accountId, config.mail?.perHour ?? 0)
  if (undo === undefined) {
    if (rejection === 'installation')
      throw new Error('The limit of MAILS_PER_HOUR has been reached.')
    if (mayWait) throw new Error('An account has reached its hourly mail limit.')
    log({ account: accountId }, 'a mail was dropped: the account has reached its hourly limit')
    return
  }
  try {
    const mail = await compose()
    if (mail) await mailer.send(mail, abortSignal)
    else await undo()
  } catch (error) {
    await undo()
    if (error instanceof MailError && error.permanent) await abandonJob(db, job.id)
    throw error
  }
}
