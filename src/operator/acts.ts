import type { Accounts } from '../accounts/account.service.ts'
import type { Account, Plan } from '../accounts/account.ts'
import type { AccountDeletion } from '../accounts/account-deletion.ts'
import type { Db } from '../db/pool.ts'
import { inTransaction, type Tx } from '../db/transaction.ts'
import { AppError } from '../errors.ts'
import type { LinkStatus } from '../links/link.ts'
import type { LinkModeration, ModeratedLink } from '../links/link-moderation.ts'
import { optionalText } from '../text.ts'
import { COMMAND_LINE, type OperatorLog } from './operator-log.ts'

export type OperatorActs = ReturnType<typeof createOperatorActs>

type Features = {
  accounts: Pick<Accounts, 'byId' | 'setSuspended' | 'setPlan' | 'setAdmin' | 'holdAdmin'>
  accountDeletion: Pick<AccountDeletion, 'begin'>
  moderation: Pick<LinkModeration, 'setStatus'>
  operatorLog: Pick<OperatorLog, 'record'>
}

/** Characters of a reason. */
const LONGEST_REASON = 200

/**
 * What the operator does to accounts and links of others, each act with its line in the log or not at all.
 * `bind` gives the features on a transaction; `actor` is as in the log.
 */
export function createOperatorActs({ db, bind }: { db: Db; bind: (tx: Tx) => Features }) {
  const atomically = <T>(work: (features: Features) => Promise<T>): Promise<T> =>
    inTransaction(db, (tx) => work(bind(tx)))

  return {
    /**
     * Suspends or resumes an account. The reason is kept in the log alone.
     *
     * @throws AppError `not_found`, `forbidden` for the actor's own account or an actor who is no admin any more,
     *   `last_admin`, `invalid_input` naming `reason`
     */
    async setSuspended(
      actor: string,
      id: number,
      suspended: boolean,
      reason?: string,
    ): Promise<Account> {
      const detail = optionalText('reason', reason, LONGEST_REASON)
      return atomically(async ({ accounts, operatorLog }) => {
        await holdActor(accounts, actor)
        const { username } = await accounts.byId(id)
        if (suspended) refuseOwn(actor, username)
        const account = await accounts.setSuspended(id, suspended)
        const action = suspended ? 'account.suspend' : 'account.resume'
        await operatorLog.record({ actor, action, subject: username, detail })
        return account
      })
    },

    /** @throws AppError `not_found` */
    setPlan: (actor: string, id: number, plan: Plan, expiresAt: Date | null): Promise<Account> =>
      atomically(async ({ accounts, operatorLog }) => {
        const { username } = await accounts.byId(id)
        const account = await accounts.setPlan(id, plan, expiresAt)
        const detail = expiresAt ? `${plan} until ${expiresAt.toISOString()}` : plan
        await operatorLog.record({ actor, action: 'account.plan', subject: username, detail })
        return account
      }),

    /** @throws AppError `not_found`, `last_admin`, `forbidden` for an actor who is no admin any more */
    setAdmin: (actor: string, id: number, admin: boolean): Promise<Account> =>
      atomically(async ({ accounts, operatorLog }) => {
        await holdActor(accounts, actor)
        const account = await accounts.setAdmin(id, admin)
        const detail = admin ? 'on' : 'off'
        const subject = account.username
        await operatorLog.record({ actor, action: 'account.admin', subject, detail })
        return account
      }),

    /**
     * Marks an account for deletion, which whoever imports clicks then carries out.
     *
     * @throws AppError `not_found`, `forbidden` for the actor's own account or an actor who is no admin any
     *   more, `last_admin`
     */
    beginDeletion: (actor: string, id: number): Promise<void> =>
      atomically(async ({ accounts, accountDeletion, operatorLog }) => {
        await holdActor(accounts, actor)
        const { username } = await accounts.byId(id)
        refuseOwn(actor, username)
        await accountDeletion.begin(id)
        await operatorLog.record({ actor, action: 'account.delete', subject: username })
      }),

    /**
     * Lets visitors of a short URL through or not, whoever's link it is.
     *
     * @throws AppError `invalid_input` naming `url` or `reason`, `not_found`
     */
    setLinkStatus: (
      actor: string,
      shortUrl: string,
      status: LinkStatus,
      reason?: string,
    ): Promise<ModeratedLink> =>
      atomically(async ({ moderation, operatorLog }) => {
        const link = await moderation.setStatus(shortUrl, status, reason)
        const action = status === 'disabled' ? 'link.disable' : 'link.enable'
        const detail = optionalText('reason', reason, LONGEST_REASON)
        await operatorLog.record({ actor, action, subject: link.shortUrl, detail })
        return link
      }),
  }
}

/** Of two admins who act on each other at once, the second is none any more. */
async function holdActor(accounts: Features['accounts'], actor: string): Promise<void> {
  if (actor !== COMMAND_LINE) await accounts.holdAdmin(actor)
}

/** Nobody is to lock themselves out by a page that is about others. */
function refuseOwn(actor: string, username: string): void {
  if (actor === username) throw new AppError('forbidden', 'This is your own account.')
}
