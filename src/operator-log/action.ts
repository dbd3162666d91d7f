/** The actions of admins that are logged. */
export const ACTIONS = [
  'account.create',
  'account.suspend',
  'account.resume',
  'account.plan',
  'account.delete',
  'user.create',
  'user.add',
  'user.admin',
  'user.remove-second-factor',
  'user.confirm',
  'user.disconnect',
  'user.reset-password',
  'key.create',
  'key.rotate',
  'key.revoke',
  'key.expire',
  'overlay.add',
  'overlay.delete',
  'splash.add',
  'splash.delete',
  'bio.add',
  'bio.delete',
  'links.import',
  'link.disable',
  'link.enable',
  'host.block',
  'host.unblock',
  'report.dismiss',
  'hold.confirm',
  'hold.release',
] as const

export type Action = (typeof ACTIONS)[number]

/** Returns the action with this name, if it exists. */
export function findAction(name: string): Action | undefined {
  return ACTIONS.find((action) => action === name)
}
