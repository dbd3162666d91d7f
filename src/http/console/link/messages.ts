import type { Problem } from '../../../links/check/verdict.ts'
import type { PluralForms } from '../shell/plural.ts'

const problems: Readonly<Record<Problem, string>> = {
  not_found: 'was not found',
  server_error: 'returns a server error',
  unreachable: 'can’t be reached',
  timeout: 'doesn’t respond',
  too_many_redirects: 'redirects too often',
  bad_response: 'sends an invalid response',
}

/** Texts of the page of a link and of its status. */
export const linkMessages = {
  links: 'Links',
  copy: 'Copy',
  share: 'Share',
  edit: 'Edit',
  editKey: 'edit the link',
  code: 'QR code',
  enable: 'Enable',
  disable: 'Disable',
  archive: 'Archive',
  unarchive: 'Unarchive',
  delete: 'Delete link',
  deleteText:
    '{link} and QR codes for it stop working immediately. You can restore it from the trash for 30 days.',
  details: 'Details',
  title: 'Title',
  created: 'Created',
  tags: 'Tags',
  archived: 'Archived',
  statuses: {
    active: 'Active',
    scheduled: 'Scheduled',
    disabled: 'Disabled',
    expired: 'Expired',
    blocked: 'Blocked',
    broken: 'Broken',
  },
  reasons: {
    admin: 'Disabled by an admin.',
    adminReason: 'Disabled by an admin: {reason}',
    disabled: 'Visitors see a “disabled” page.',
    usedUp: 'Used its last click {date}',
    expired: 'Expired {date}',
    blocked: 'Its destination is blocked by an admin.',
    broken: '{destination} {problem} since {date}',
    starts: 'Starts {date}',
    expires: 'Expires {date}',
    clicksUsed: '{used} of {max} clicks used',
    password: 'Password protected',
  },
  problems,
  guesses: {
    title: 'Password',
    none: 'No recent failed attempts.',
    failed: {
      one: '{n} recent failed password attempt. The count goes down over time.',
      other: '{n} recent failed password attempts. The count goes down over time.',
    } satisfies PluralForms,
    waiting: 'Too many failed attempts. New visitors can try again at {time}.',
    known: {
      one: '{n} visitor who already unlocked the link is not affected.',
      other: '{n} visitors who already unlocked the link are not affected.',
    } satisfies PluralForms,
    advice: 'Someone may be guessing. Consider a longer password.',
  },
  codeErrors: {
    color: 'must be a color in the form #rrggbb',
    size: 'must be a whole number from {min} to {max}',
  },
} as const
