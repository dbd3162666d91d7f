import { type Account, checkPlan } from '../accounts/account.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { command } from './command.ts'
import { parseEnd } from './values.ts'

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
    const { accounts } = await context.features()
    const input = { email, username, password, ...(checked && { plan: checked }) }
    const { account, key } = await accounts.create(input)
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
  async run(context, { email }) {
    const { accounts } = await context.features()
    return present(await accounts.setSuspended(email, true))
  },
})

export const accountResume = command({
  summary: 'accept the keys of a suspended account again',
  required: { email: EMAIL },
  async run(context, { email }) {
    const { accounts } = await context.features()
    return present(await accounts.setSuspended(email, false))
  },
})

export const accountPlan = command({
  summary: 'set the plan of an account, which does not end unless --expires says when',
  required: { email: EMAIL, plan: 'free or pro' },
  optional: { expires: 'when the plan ends in UTC: YYYY-MM-DD[ HH:MM:SS], or never' },
  async run(context, { email, plan, expires = 'never' }) {
    const { accounts, clock } = await context.features()
    const end = parseEnd('expires', expires, clock())
    return present(await accounts.setPlan(email, checkPlan(plan), end))
  },
})

export const accountDelete = command({
  summary:
    'delete an account with everything that it owns, its links and their statistics included',
  required: { email: EMAIL },
  operand: 'email',
  flags: { yes: 'do it; without this the command only says what it would do' },
  async run(context, { email, yes }) {
    const { accounts, accountDeletion } = await context.features()
    const { id, username } = await accounts.byEmail(email)
    if (!yes) {
      throw new Error(
        `this deletes ${username} (${email}) with all of its links and their statistics for good: add --yes`,
      )
    }
    await accountDeletion.begin(id)
    await accountDeletion.finish(id)
    return { id, email, username, deleted: true }
  },
})

function present({ id, email, username, plan, expiresAt, suspended, registeredAt }: Account) {
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
