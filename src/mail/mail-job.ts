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
}

/**
 * Sends the mail of a job. A mail beyond the account's limit is dropped, one beyond that of the
 * installation waits. `compose` runs with each attempt, so that what it issues is stored nowhere else.
 *
 * @throws Error if the mail was not sent and the job is to be tried again, or was given up
 */
export async function sendMail(
  { config, log }: Pick<Context, 'config' | 'log'>,
  db: Db,
  { job, abortSignal, mailer, accountId }: MailJob,
  compose: () => Promise<Mail>,
): Promise<void> {
  const { rejection, takeBack } = await reserveMail(db, accountId, config.mail?.perHour ?? 0)
  if (takeBack === undefined) {
    if (rejection === 'installation') throw new Error('MAILS_PER_HOUR is reached.')
    log({ account: accountId }, 'a mail was dropped: the account has caused too many this hour')
    return
  }
  try {
    await mailer.send(await compose(), abortSignal)
  } catch (error) {
    await takeBack()
    if (error instanceof MailError && error.permanent) await giveUpJob(db, job.id)
    throw error
  }
}
