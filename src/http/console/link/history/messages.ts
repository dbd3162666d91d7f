import type { Surface } from '../../../../links/versions/actor.ts'

const surfaces: Readonly<Record<Surface, string>> = {
  console: 'Console',
  api: 'API',
  'legacy-api': 'Legacy API',
  'yourls-api': 'YOURLS API',
  import: 'Import',
  admin: 'Admin',
  'command-line': 'Command line',
}

/** Texts of a link's history. */
export const historyMessages = {
  title: 'History',
  lead: 'Every change of this link in the last 365 days.',
  /** Names of fields that differ from those in the link form. */
  fields: {
    rules: 'Targeting',
    expiry: 'Expiration',
    password: 'Password',
    custom: 'Alias',
    domain: 'Domain',
    status: 'Status',
    blocked: 'Disabled by an admin',
    archived: 'Archived',
    deleted: 'Deleted',
    pixels: 'Pixels',
    tags: 'Tags',
  },
  surfaces,
  by: '{name} · {surface}',
  deleted: {
    user: 'Deleted user',
    key: 'Deleted API key',
    import: 'Deleted import',
  },
  key: 'API key {name}',
  unknown: 'Unknown',
  created: 'Link created',
  restored: 'Restored the version of {date}',
  restoredOlder: 'Restored an older version',
  changed: '{field} changed from {before} to {after}',
  set: '{field} set to {after}',
  removed: '{field} removed, was {before}',
  /** Sentences for changes of a state. */
  states: {
    status: { active: 'Link enabled', disabled: 'Link disabled' },
    blocked: { true: 'Disabled by an admin', false: 'Enabled by an admin' },
    archived: { true: 'Archived', false: 'Removed from the archive' },
    deleted: { true: 'Moved to the trash', false: 'Restored from the trash' },
  },
  on: '{field} turned on',
  off: '{field} turned off',
  password: { set: 'Password set', changed: 'Password changed', removed: 'Password removed' },
  values: {
    true: 'on',
    false: 'off',
    active: 'active',
    disabled: 'disabled',
    ownHost: 'the default domain',
    direct: 'Direct redirect',
    frame: 'Masked (iframe)',
    splash: 'Interstitial page',
    splashPage: 'Interstitial page {id}',
    overlay: 'Overlay {id}',
    rule: '{conditions} → {to}',
    variant: '{share}% {to}',
  },
  restore: 'Restore',
  restoreText:
    'The link gets the values that it had after this change. The password stays as it is now.',
  restoreButton: 'Restore this version',
  empty: 'No changes in the last 365 days.',
} as const
