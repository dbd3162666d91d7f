/** The actions of admins, as phrased in the log. */
export const ACTIONS = {
  'account.create': 'created account',
  'account.suspend': 'suspended account',
  'account.resume': 'resumed account',
  'account.plan': 'set the plan of',
  'account.delete': 'deleted account',
  'user.create': 'created user',
  'user.add': 'added a member to',
  'user.admin': 'changed admin access of',
  'user.remove-second-factor': 'removed the second factor of',
  'user.confirm': 'confirmed the email of',
  'user.disconnect': 'disconnected the sign-in provider of',
  'user.reset-password': 'created a password reset link for',
  'key.create': 'created a key for',
  'key.rotate': 'rotated a key of',
  'key.revoke': 'revoked a key of',
  'key.expire': 'set key expiration for',
  'overlay.add': 'created an overlay for',
  'overlay.delete': 'deleted an overlay of',
  'splash.add': 'created a splash page for',
  'splash.delete': 'deleted a splash page of',
  'bio.add': 'created a bio page for',
  'bio.delete': 'deleted a bio page of',
  'links.import': 'started an import for',
  'link.disable': 'disabled the link',
  'link.enable': 'enabled the link',
  'host.block': 'blocked the host',
  'host.unblock': 'unblocked the host',
  'report.dismiss': 'dismissed reports on',
  'hold.confirm': 'confirmed the hold on',
  'hold.release': 'released the hold on',
} as const satisfies Readonly<Record<string, string>>

export type Action = keyof typeof ACTIONS

/** Returns the action with a name, if it exists. */
export function actionOf(name: string): Action | undefined {
  return Object.hasOwn(ACTIONS, name) ? (name as Action) : undefined
}
