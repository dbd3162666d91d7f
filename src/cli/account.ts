import { type Account, checkPlan } from '../accounts/account.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { COMMAND_LINE } from '../operator/operator-log.ts'
import { type Answer, type Context, command } from './command.ts'
import { parseEnd, parseSwitch } from './values.ts'

const EMAIL = 'the e-mail address of the account'

export const accountCreate = command({
  summary: 'make an account and its first key, which is shown this once',
  required: {
    email: EMAIL,
    username: '2 to 32 letters, digits, - or _',
    password: '8 to 200 characters, or - to read it from the standard input',
  },
  optional: { plan: 'free (default) or pro' },
  async run(context, { email, username, plan, ...given }) {
    const checked = plan === undefined ? undefined : checkPlan(plan)
    const password = given.password === '-' ? await context.readLine() : given.password
    const { atomically } = await context.features()
    const input = { email, username, password, ...(checked && { plan: checked }) }
    const { account, key } = await atomically(async ({ accounts, operatorLog }) => {
      const made = await accounts.create(input)
      const subject = made.account.username
      await operatorLog.record({ actor: COMMAND_LINE, action: 'account.create', subject })
      return made
    })
    return { id: account.id, email: account.email, username: account.username, key }
  },
})

export const accountList = command({
  summary: 'show all accounts',
  async run(context) {
    const { accounts } = await context.features()
    return { accounts: (await accounts.list()).map(present) }
  },
})

export const accountSuspend = command({
  summary: 'refuse every key of an account from the next request on',
  required: { email: EMAIL },
  optional: { reason: 'what is kept of it in the operator log, up to 200 characters' },
  run: (context, { email, reason }) => setSuspended(context, email, true, reason),
})

export const accountResume = command({
  summary: 'accept the keys of a suspended account again',
  required: { email: EMAIL },
  run: (context, { email }) => setSuspended(context, email, false),
})

export const accountPlan = command({
  summary: 'set the plan of an account, which does not end unless --expires says when',
  required: { email: EMAIL, plan: 'free or pro' },
  optional: { expires: 'when the plan ends in UTC: YYYY-MM-DD[ HH:MM:SS], or never' },
  async run(context, { email, plan, expires = 'never' }) {
    const { accounts, operatorActs, clock } = await context.features()
    const end = parseEnd('expires', expires, clock())
    const checked = checkPlan(plan)
    const { id } = await accounts.byEmail(email)
    return present(await operatorActs.setPlan(COMMAND_LINE, id, checked, end))
  },
})

export const accountAdmin = command({
  summary: 'let an account see the operator’s pages of the console, or no longer',
  required: { username: 'the username of the account', state: 'on or off' },
  operands: ['username', 'state'],
  async run(context, { username, state }) {
    const admin = parseSwitch('state', state)
    const { accounts, operatorActs } = await context.features()
    const { id } = await accounts.byUsername(username)
    return present(await operatorActs.setAdmin(COMMAND_LINE, id, admin))
  },
})

export const accountDelete = command({
  summary:
    'delete an account with everything that it owns, its links and their statistics included',
  required: { email: EMAIL },
  operands: ['email'],
  flags: { yes: 'do it; without this the command only says what it would do' },
  async run(context, { email, yes }) {
    const { accounts, accountDeletion, operatorActs } = await context.features()
    const { id, username } = await accounts.byEmail(email)
    if (!yes) {
      throw new Error(
        `this deletes ${username} (${email}) with all of its links and their statistics for good: add --yes`,
      )
    }
    await operatorActs.beginDeletion(COMMAND_LINE, id)
    await accountDeletion.finish(id)
    return { id, email, username, deleted: true }
  },
})

export const accountResetPassword = command({
  summary: 'print a single-use link, valid for an hour, that sets a new password and signs in',
  required: { email: EMAIL },
  operands: ['email'],
  async run({ config, features }, { email }) {
    if (!config.console) {
      throw new Error('nobody can sign in with a password: the console is closed by CONSOLE=off')
    }
    const { atomically } = await features()
    const { url, expiresAt } = await atomically(
      async ({ accounts, passwordResets, operatorLog }) => {
        const { id, username } = await accounts.byEmail(email)
        const link = await passwordResets.issue(id)
        const action = 'account.reset-password'
        await operatorLog.record({ actor: COMMAND_LINE, action, subject: username })
        return link
      },
    )
    return { email, url, expires: formatTimestamp(expiresAt) }
  },
})

async function setSuspended(
  context: Context,
  email: string,
  suspended: boolean,
  reason?: string,
): Promise<Answer> {
  const { accounts, operatorActs } = await context.features()
  const { id } = await accounts.byEmail(email)
  return present(await operatorActs.setSuspended(COMMAND_LINE, id, suspended, reason))
}

function present(account: Account) {
  const { id, email, username, plan, expiresAt, suspended, admin, registeredAt } = account
  return {
    id,
    email,
    username,
    plan,
    expires: expiresAt && formatTimestamp(expiresAt),
    suspended,
    admin,
    registered: formatTimestamp(registeredAt),
  }
}
