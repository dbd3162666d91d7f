import type { Context } from '../context.ts'
import type { Db } from '../db/pool.ts'
import {
  createReportScheduleTask,
  REPORT_SCHEDULE_TASK,
} from '../email-reports/report-scheduler.ts'
import { createReportTask, REPORT_TASK } from '../email-reports/report-task.ts'
import { RESET_TASK } from '../identity/forgotten-passwords.ts'
import { INVITATION_TASK } from '../identity/invitation.service.ts'
import {
  createInvitationMailTask,
  createResetMailTask,
  createWelcomeMailTask,
} from '../identity/mails.ts'
import { WELCOME_TASK } from '../identity/welcome.service.ts'
import { createJobRunner, type JobRunner, type RunnerOptions } from '../jobs/job-runner.ts'
import {
  createLinkChecker,
  createLinkCheckTask,
  LINK_CHECK_TASK,
  scheduleLinkCheck,
} from '../links/check/check-links.ts'
import { createMailer, type Mailer } from '../mail/mailer.ts'

/**
 * Creates the job runner. To save connections, returns undefined if no setting requires it.
 * `retryMs` is the pause between attempts to become the only runner.
 */
export function createJobs(
  ctx: Context,
  db: Db,
  options: Pick<RunnerOptions, 'instance' | 'retryMs'> = {},
): JobRunner | undefined {
  const { config, log } = ctx
  if (!config.mail && !config.linkCheck) return undefined
  const checker = config.linkCheck ? createLinkChecker(ctx, db) : undefined
  const runner = createJobRunner({
    databaseUrl: config.databaseUrl,
    log,
    tasks: {
      ...(config.mail && createMailTasks(ctx, db, createMailer(config.mail))),
      ...(checker && { [LINK_CHECK_TASK]: createLinkCheckTask(db, checker) }),
    },
    everyMinute: config.mail ? [REPORT_SCHEDULE_TASK] : [],
    onStart: async () => {
      if (checker) await scheduleLinkCheck(db)
    },
    ...options,
  })
  return {
    run: runner.run,
    async stop() {
      checker?.close()
      await runner.stop()
    },
  }
}

function createMailTasks(ctx: Context, db: Db, mailer: Mailer) {
  return {
    [RESET_TASK]: createResetMailTask(ctx, db, mailer),
    [WELCOME_TASK]: createWelcomeMailTask(ctx, db, mailer),
    [INVITATION_TASK]: createInvitationMailTask(ctx, db, mailer),
    [REPORT_TASK]: createReportTask(ctx, db, mailer),
    [REPORT_SCHEDULE_TASK]: createReportScheduleTask(ctx, db),
  }
}
