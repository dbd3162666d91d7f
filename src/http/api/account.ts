import { Type } from '@sinclair/typebox'
import type { HttpContext } from '../../context.ts'
import { updateAccount } from '../../identity/account.service.ts'
import type { Account } from '../../identity/account.ts'
import { formatTimestamp } from '../timestamp.ts'
import type { ApiApp } from './api-app.ts'
import { addErrorReplies, Id, MessageReply, normalizeBody, Text, Timestamp } from './schemas.ts'

const AccountReply = Type.Object({
  error: Type.Literal(0),
  data: Type.Object({
    id: Id,
    email: Type.String(),
    username: Type.String(),
    avatar: Type.String({ description: 'URL of the avatar image.' }),
    status: Type.String({ description: 'The plan, free or pro, or expired once it has ended.' }),
    expires: Timestamp,
    registered: Timestamp,
  }),
})

const AccountUpdate = Type.Object(
  { email: Type.Optional(Text(254)), password: Type.Optional(Text(1000)) },
  { description: 'At least one of the two is required.', examples: [{ email: 'new@example.com' }] },
)

const NO_EXPIRATION = '9999-12-31 23:59:59'

export function registerAccountRoutes(app: ApiApp, ctx: HttpContext): void {
  const { config, clock } = ctx
  for (const method of ['GET', 'POST'] as const) {
    app.route({
      method,
      url: '/account',
      config: { access: { scope: 'read' } },
      schema: {
        tags: ['account'],
        summary:
          method === 'GET'
            ? 'Get the account of the key'
            : 'Get the account of the key, for older clients',
        response: addErrorReplies(AccountReply),
      },
      handler: async (request) => ({ error: 0 as const, data: present(request.account) }),
    })
  }

  app.put(
    '/account/update',
    {
      config: { access: { scope: 'full' } },
      schema: {
        tags: ['account'],
        summary: 'Update the email address, the password or both',
        body: AccountUpdate,
        response: addErrorReplies(MessageReply),
      },
      preValidation: normalizeBody('create'),
    },
    async (request) => {
      await updateAccount(ctx, ctx.db, request.account.id, request.body)
      return { error: 0 as const, message: 'Account has been updated successfully.' }
    },
  )

  function present(account: Account) {
    const isExpired = account.expiresAt !== null && account.expiresAt <= clock()
    return {
      id: account.id,
      email: account.email,
      username: account.username,
      avatar: `${config.baseUrl}/avatar/${account.username}.svg`,
      status: isExpired ? 'expired' : account.plan,
      expires: account.expiresAt ? formatTimestamp(account.expiresAt) : NO_EXPIRATION,
      registered: formatTimestamp(account.registeredAt),
    }
  }
}
