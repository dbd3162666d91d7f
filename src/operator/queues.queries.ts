import { sql } from 'kysely'
import type { Db } from '../db/pool.ts'

const QUEUES = ['webhooks', 'mail', 'jobs', 'imports'] as const

type Queue = (typeof QUEUES)[number]

export type QueueFacts = {
  queue: Queue
  waiting: number
  /** How long the oldest due entry has been waiting, in seconds. 0 if none is due. */
  oldestSeconds: number
}

export const UNKNOWN_QUEUES: QueueFacts[] = QUEUES.map((queue) => ({
  queue,
  waiting: Number.NaN,
  oldestSeconds: Number.NaN,
}))

/**
 * Returns the state of all queues. Entries that must wait are not due: those of disabled or paused
 * endpoints and suspended accounts, and scheduled ones. An email that could not be sent yet is.
 */
export async function readQueues(db: Db, now: Date): Promise<QueueFacts[]> {
  const { rows } = await sql<QueueFacts>`
    with due as (
      select 'webhooks' as queue, case when d.next_at <= ${now}
        and (e.paused_until is null or e.paused_until <= ${now}) then ${now} - d.next_at end as age
      from webhook_deliveries d
      join webhook_endpoints e on e.id = d.endpoint_id and e.disabled_at is null
      join accounts a on a.id = e.account_id and a.suspended_at is null
      where d.state = 'waiting'
      union all
      select 'imports', case when i.not_before is null or i.not_before <= now() then now() - i.updated_at end
      from imports i
      join accounts a on a.id = i.account_id and a.suspended_at is null
      where i.background and i.state = 'waiting'
      union all
      select case when task_identifier like 'mail-%' then 'mail' else 'jobs' end,
        case when locked_at is not null then null
          when task_identifier like 'mail-%' and attempts > 0 then now() - created_at
          when run_at <= now() then now() - run_at end
      from brevis_jobs.jobs where attempts < max_attempts or locked_at is not null
    )
    select queue, count(*) as waiting,
      coalesce(greatest(0, extract(epoch from max(age))), 0)::float8 as "oldestSeconds"
    from due group by queue`.execute(db)
  return QUEUES.map(
    (queue) => rows.find((row) => row.queue === queue) ?? { queue, waiting: 0, oldestSeconds: 0 },
  )
}
