import type { JobHelpers } from 'graphile-worker'
import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import { giveUpJob } from '../jobs/job-queue.queries.ts'
import { reserveMail } from './mail-limits.ts'
import { type Mail, MailError, type Mailer } from './mailer.ts'

type MailJob = Pick<JobHelpers, 'job' | 'abortSignal'> & {
  mailer: Mailer
  /** The account that causes the mail. */
  accountId: number
  /** Whether a mail beyond the account's limit waits instead of being dropped. */
  mayWait?: boolean
}

/**
 * Sends the mail of a job. A mail beyond the account's limit is dropped or waits, one beyond that of the
 * installation waits. `compose` may find that there is nothing to send any longer. It runs with each attempt, so that what it issues is stored nowhere else.
 *
 * @throws Error if the mail was not sent and the job is to be tried again, or was given up
 */
export async function sendMail(
  { config, log }: Pick<Context, 'config' | 'log'>,
  db: Db,
  { job, abortSignal, mailer, accountId, mayWait = false }: MailJob,
  compose: () => Promise<Mail | undefined>,
): Promise<void> {
  const { rejection, takeBack } = await reserveMail(db, accountId, config.mail?.perHour ?? 0)
  if (takeBack === undefined) {
    if (rejection === 'installation') throw new Error('MAILS_PER_HOUR is reached.')
    if (mayWait) throw new Error('An account has reached its limit of mails per hour.')
    log({ account: accountId }, 'a mail was dropped: the account has caused too many this hour')
    return
  }
  try {
    const mail = await compose()
    if (mail) await mailer.send(mail, abortSignal)
    else await takeBack()
  } catch (error) {
    await takeBack()
    if (error instanceof MailError && error.permanent) await giveUpJob(db, job.id)
    throw error
  }
}
