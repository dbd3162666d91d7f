import { finishDeletion } from '../account-deletion/account-deletion.ts'
import { inTransaction } from '../db/transaction.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import {
  createAccount,
  getAccountByEmailOrUsername,
  listAccounts,
} from '../identity/account.service.ts'
import { type Account, checkPlan } from '../identity/account.ts'
import { getUserByEmail } from '../identity/user.service.ts'
import { changePlan, deleteAccount, suspendAccount } from '../operator/account-actions.service.ts'
import { listOperatorUsers } from '../operator/operator-users.service.ts'
import {
  changeAdmin,
  createResetLink,
  removeSecondFactor,
} from '../operator/user-actions.service.ts'
import { COMMAND_LINE, logAction } from '../operator-log/operator-log.service.ts'
import { countLinks } from '../transfer/transfer.service.ts'
import { type CommandContext, type CommandResult, defineCommand } from './command.ts'
import { createProgressBar } from './terminal.ts'
import { parseEnd, parseSwitch } from './values.ts'

const BATCH_SIZE = 1000

export const userList = defineCommand({
  summary: 'list all users',
  async run(context) {
    const ctx = await context.connect()
    const users = []
    let before: number | undefined
    do {
      const { entries, older } = await listOperatorUsers(ctx.db, {}, { before, limit: BATCH_SIZE })
      users.push(...entries)
      before = older
    } while (before !== undefined)
    return {
      users: users.reverse().map(({ id, email, admin, accounts, createdAt }) => {
        return { id, email, admin, accounts, created: formatTimestamp(createdAt) }
      }),
    }
  },
})

export const userAdmin = defineCommand({
  summary: 'give a user access to the admin pages, or remove it',
  required: { email: 'the email address of the user', state: 'on or off' },
  operands: ['email', 'state'],
  async run(context, { email, state }) {
    const admin = parseSwitch('state', state)
    const ctx = await context.connect()
    return inTransaction(ctx.db, async (tx) => {
      const { id } = await getUserByEmail(tx, email)
      const user = await changeAdmin(ctx, tx, COMMAND_LINE, id, admin)
      return { id, email: user.email, admin }
    })
  },
})

const EMAIL = 'the email address of the account'

export const accountCreate = defineCommand({
  summary: 'create an account and its first key, which is shown only once',
  required: {
    email: EMAIL,
    username: '2 to 32 letters, digits, - or _',
    password: '8 to 200 characters, or - to read it from the standard input',
  },
  optional: { plan: 'free (default) or pro' },
  async run(context, { email, username, plan, ...options }) {
    const checkedPlan = plan === undefined ? undefined : checkPlan(plan)
    const password = options.password === '-' ? await context.readLine() : options.password
    const ctx = await context.connect({ creates: true })
    const input = {
      email,
      username,
      password,
      emailVerified: true,
      ...(checkedPlan && { plan: checkedPlan }),
    }
    const { account, key } = await inTransaction(ctx.db, async (tx) => {
      const created = await createAccount(ctx, tx, input)
      const subject = created.account.username
      await logAction(ctx, tx, { actor: COMMAND_LINE, action: 'account.create', subject })
      return created
    })
    return { id: account.id, email: account.email, username: account.username, key }
  },
})

export const accountList = defineCommand({
  summary: 'list all accounts',
  async run(context) {
    const ctx = await context.connect()
    return { accounts: (await listAccounts(ctx.db)).map(present) }
  },
})

export const accountSuspend = defineCommand({
  summary: 'suspend an account: its keys and sign-ins are rejected immediately',
  required: { email: EMAIL },
  optional: { reason: 'a note for the operator log, up to 200 characters' },
  run: (context, { email, reason }) => setSuspended(context, email, true, reason),
})

export const accountResume = defineCommand({
  summary: 'resume a suspended account',
  required: { email: EMAIL },
  run: (context, { email }) => setSuspended(context, email, false),
})

export const accountPlan = defineCommand({
  summary: 'set the plan of an account, by default without an end',
  required: { email: EMAIL, plan: 'free or pro' },
  optional: { expires: 'end of the plan in UTC: YYYY-MM-DD[ HH:MM:SS], or never (default)' },
  async run(context, { email, plan, expires = 'never' }) {
    const ctx = await context.connect()
    const end = parseEnd('expires', expires, ctx.clock())
    const checkedPlan = checkPlan(plan)
    const { id } = await getAccountByEmailOrUsername(ctx.db, email)
    return present(
      await changePlan(ctx, ctx.db, COMMAND_LINE, id, { plan: checkedPlan, expiresAt: end }),
    )
  },
})

export const accountDelete = defineCommand({
  summary: 'delete an account permanently, including its links and their statistics',
  required: { email: EMAIL },
  operands: ['email'],
  flags: { yes: 'confirm the deletion' },
  async run(context, { email, yes }) {
    const ctx = await context.connect()
    const { id, username } = await getAccountByEmailOrUsername(ctx.db, email)
    if (!yes) {
      throw new Error(
        `this permanently deletes ${username} (${email}), its links and their statistics: add --yes to confirm`,
      )
    }
    await deleteAccount(ctx, ctx.db, COMMAND_LINE, id)
    const bar = createProgressBar(context.terminal, 'deleting')
    const all = await countLinks({ db: ctx.db, accountId: id })
    const onProgress = (left: number) => bar.draw(1 - left / Math.max(all, 1), all - left)
    await finishDeletion({ db: ctx.db, accountId: id }, { onProgress }).finally(bar.clear)
    return { id, email, username, deleted: true }
  },
})

export const accountResetPassword = defineCommand({
  summary: 'print a link to set a new password, which works once, within an hour',
  required: { email: 'the email address of the user' },
  operands: ['email'],
  async run({ config, connect }, { email }) {
    if (!config.console) {
      throw new Error('password sign-in is unavailable: the console is closed by CONSOLE=off')
    }
    if (!config.passwordSignIn) {
      throw new Error('password sign-in is unavailable: PASSWORD_SIGN_IN=off')
    }
    const ctx = await connect()
    return inTransaction(ctx.db, async (tx) => {
      const user = await getUserByEmail(tx, email)
      const { email: name, url, expiresAt } = await createResetLink(ctx, tx, COMMAND_LINE, user.id)
      return { email: name, url, expires: formatTimestamp(expiresAt) }
    })
  },
})

export const accountRemoveSecondFactor = defineCommand({
  summary: 'remove the one-time codes, passkeys and recovery codes of a user who is locked out',
  required: { email: 'the email address of the user' },
  operands: ['email'],
  async run({ connect }, { email }) {
    const ctx = await connect()
    return inTransaction(ctx.db, async (tx) => {
      const { id } = await getUserByEmail(tx, email)
      const user = await removeSecondFactor(ctx, tx, COMMAND_LINE, id)
      return { email: user.email, removed: true }
    })
  },
})

async function setSuspended(
  context: CommandContext,
  email: string,
  suspended: boolean,
  reason?: string,
): Promise<CommandResult> {
  const ctx = await context.connect()
  const { id } = await getAccountByEmailOrUsername(ctx.db, email)
  return present(await suspendAccount(ctx, ctx.db, COMMAND_LINE, id, { suspended, reason }))
}

function present(account: Account) {
  const { id, email, username, plan, expiresAt, suspended, registeredAt } = account
  return {
    id,
    email,
    username,
    plan,
    expires: expiresAt && formatTimestamp(expiresAt),
    suspended,
    registered: formatTimestamp(registeredAt),
  }
}
