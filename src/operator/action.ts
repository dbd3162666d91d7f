/** What the operator may do to what belongs to others, and how the log says it. */
export const ACTIONS = {
  'account.create': 'made the account',
  'account.suspend': 'suspended the account',
  'account.resume': 'resumed the account',
  'account.plan': 'set the plan of the account',
  'account.admin': 'said who is an admin',
  'account.delete': 'deleted the account',
  'key.create': 'made a key of the account',
  'key.rotate': 'replaced a key of the account',
  'key.revoke': 'revoked a key of the account',
  'key.expire': 'set the end of a key of the account',
  'link.disable': 'disabled the link',
  'link.enable': 'enabled the link',
  'host.block': 'blocked the host',
  'host.unblock': 'unblocked the host',
  'report.dismiss': 'dismissed the reports of',
} as const satisfies Readonly<Record<string, string>>

export type Action = keyof typeof ACTIONS

/** The action of that name, if there is one. */
export function actionOf(name: string): Action | undefined {
  return Object.hasOwn(ACTIONS, name) ? (name as Action) : undefined
}
