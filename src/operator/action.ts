/** What the operator may do to what belongs to others, and how the log says it. */
export const ACTIONS = {
  'account.create': 'made the account',
  'account.suspend': 'suspended the account',
  'account.resume': 'resumed the account',
  'account.plan': 'set the plan of the account',
  'account.admin': 'said who is an admin',
  'account.delete': 'deleted the account',
  'account.reset-password': 'created a password reset link for',
  'key.create': 'made a key of the account',
  'key.rotate': 'replaced a key of the account',
  'key.revoke': 'revoked a key of the account',
  'key.expire': 'set the end of a key of the account',
  'overlay.add': 'made an overlay for the account',
  'overlay.delete': 'deleted an overlay of the account',
  'splash.add': 'made a splash page for the account',
  'splash.delete': 'deleted a splash page of the account',
  'bio.add': 'made a bio page for the account',
  'bio.delete': 'deleted a bio page of the account',
  'links.import': 'began to import links into the account',
  'link.disable': 'disabled the link',
  'link.enable': 'enabled the link',
  'host.block': 'blocked the host',
  'host.unblock': 'unblocked the host',
  'report.dismiss': 'dismissed the reports of',
  'hold.confirm': 'confirmed the hold on',
  'hold.release': 'released the hold on',
} as const satisfies Readonly<Record<string, string>>

export type Action = keyof typeof ACTIONS

/** The action of that name, if there is one. */
export function actionOf(name: string): Action | undefined {
  return Object.hasOwn(ACTIONS, name) ? (name as Action) : undefined
}
