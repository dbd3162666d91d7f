import { inTransaction } from '../db/transaction.ts'
import { formatTimestamp } from '../http/timestamp.ts'
import { COMMAND_LINE } from '../operator/operator-log.service.ts'
import { listOperatorUsers } from '../operator/operator-users.service.ts'
import { changeAdmin } from '../operator/user-actions.service.ts'
import { getUserByEmail } from '../people/user.service.ts'
import { defineCommand } from './command.ts'
import { parseSwitch } from './values.ts'

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
