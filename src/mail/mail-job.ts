import type { JobHelpers } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { abandonJob } from '../jobs/job-queue.queries.ts'
import { type MailLimit, reserveMail } from './mail-limits.ts'
import { type Mail, MailError, type Mailer } from './mailer.ts'

type MailJob = Pick<JobHelpers, 'job' | 'abortSignal'> & {
  mailer: Mailer
  limit: MailLimit
  /** Whether an email above its own limit is delayed instead of dropped. */
  mayWait?: boolean
}

/**
 * Sends the email of a job. Above its own limit, it is dropped or delayed. Above the installation's
 * limit, it is delayed. `compose` may return nothing if the email is obsolete. It
 * runs on every attempt, so that the secrets it issues are not stored elsewhere.
 *
 * @throws Error if the email was not sent, and the job will be retried or was abandoned
 */
export async function sendMail(
  { config, log }: Pick<Context, 'config' | 'log'>,
  db: Db,
  { job, abortSignal, mailer, limit, mayWait = false }: MailJob,
  compose: () => Promise<Mail | undefined>,
): Promise<void> {
  const { rejection, undo } = await reserveMail(db, limit, config.mail?.perHour ?? 0)
  if (undo === undefined) {
    if (rejection === 'installation') {
      throw new Error(
        limit.isReserved
          ? 'The limit of MAILS_PER_HOUR has been reached.'
          : 'The half of MAILS_PER_HOUR that is not reserved has been used up.',
      )
    }
    if (mayWait) throw new Error('An account has reached its hourly mail limit.')
    log({}, 'a password reset was not mailed because its user has reached the hourly limit')
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
