import type { FormFieldName } from '../../../links/fields.ts'
import type { ConditionName } from '../../../links/rules/conditions.ts'
import type { UtmName } from '../../../utm/utm.ts'
import type { DeviceTarget } from '../../../visitors/user-agent.ts'

/** The texts of a field in the form. */
export type FieldText = {
  label: string
  hint?: string
  /** For a time: its second input. */
  time?: { label: string; hint: string }
  /** For rows: the labels of their inputs, examples, and the button that adds a row. */
  row?: {
    labels: readonly [name: string, value: string]
    examples: readonly [name: string, value: string]
    add: string
  }
}

/** Texts of the link form. */
export const editorMessages = {
  new: 'New link',
  edit: 'Edit {alias}',
  check: 'Check the highlighted field.',
  row: '{label}, row {row}',
  groups: {
    lifetime: { title: 'Expiration', about: 'Dates, click limit and redirect' },
    targeting: { title: 'Targeting', about: 'Send some visitors to another URL' },
    parameters: {
      title: 'UTM and parameters',
      about: 'Add URL parameters, the visitor’s query or path to the destination',
    },
    appearance: { title: 'Appearance', about: 'Redirect type, tracking pixels' },
    password: { title: 'Password protection', about: 'Password' },
    organize: { title: 'Organize', about: 'Campaigns and channels' },
  },
  types: { direct: 'Direct redirect', frame: 'Masked (iframe)', splash: 'Interstitial page' },
  splashes: 'Your splash pages',
  overlays: 'Your overlays',
  pixels: { legend: 'Pixels', hint: 'Fire on every click.' },
  memberships: {
    campaigns: {
      legend: 'Campaigns',
      hint: 'Included in the campaign’s statistics.',
      none: 'No campaigns yet.',
    },
    channels: {
      legend: 'Channels',
      hint: 'Group links, bio pages and QR codes.',
      none: 'No channels yet.',
    },
  },
  createOne: 'Create one',
  password: {
    label: 'Password',
    hint: 'Visitors must enter this password. Leave blank for a public link.',
  },
  newPassword: {
    label: 'New password',
    hint: 'A password is set. Leave blank to keep it.',
  },
  removePassword: 'Remove password',
  errors: {
    passwordConflict: 'can’t be set and removed together',
    pixel: 'names a pixel that does not exist',
    empty: 'must not be empty',
  },
  card: {
    title: 'Social preview',
    empty: 'Title of the destination page',
    image: 'Image from {host}',
  },
  bookmarklet: {
    title: 'Bookmarklet',
    text: 'Drag this button to your bookmarks bar. Click it on any page to shorten that page.',
    button: 'Shorten this page',
  },
  create: 'Create link',
  save: 'Save',
  cancel: 'Cancel',
  unsaved: 'Unsaved changes',
  sections: { link: 'Link', preview: 'Preview', card: 'Social preview' },
  alias: {
    label: 'Alias',
    hint: 'Leave blank for a random alias.',
    warning: 'Changing the alias breaks the old short link, including printed QR codes.',
  },
  aliasStates: {
    free: '✓ Available',
    taken: 'Already in use',
    held: 'This alias is reserved.',
    own: 'Current alias',
  },
  domain: 'Domain',
  tags: { label: 'Tags', hint: 'Separate tags with commas.', remove: 'Remove tag {name}' },
  fetchTitle: 'Fetch title',
  fetched: 'Title fetched',
  noTitle: 'The page has no title.',
  code: {
    title: 'QR code',
    picture: 'QR code of the short link',
    note: 'Preview only. Save to get the final code.',
  },
  /** Choices for settings that default to the domain's. */
  domainFlag: { default: 'Domain default', yes: 'Yes', no: 'No' },
  fields: {
    url: { label: 'Destination URL' },
    type: { label: 'Redirect type' },
    rules: { label: 'Targeting' },
    split: {
      label: 'Split',
      hint: 'Divide visitors among 2 to 10 destinations by weight. Rules win over the split.',
      row: {
        labels: ['Destination URL of the variant', 'Weight, 1 to 100'],
        examples: ['https://example.com/b', '50'],
        add: 'Add variant',
      },
    },
    startsAt: {
      label: 'Starts on',
      hint: 'In UTC. Leave blank to start right away.',
      time: { label: 'Starts at', hint: 'In UTC. Defaults to the beginning of the day.' },
    },
    expiresAt: {
      label: 'Expires on',
      hint: 'In UTC. Leave blank to never expire.',
      time: { label: 'Time', hint: 'In UTC. Defaults to the end of the day.' },
    },
    maxClicks: {
      label: 'Click limit',
      hint: 'The link expires after this many clicks.',
    },
    expiredUrl: {
      label: 'Expired link redirect',
      hint: 'Leave blank to show the “expired” page.',
    },
    forwardQuery: {
      label: 'Forward query',
      hint: 'Add the visitor’s query to the destination URL.',
    },
    forwardPath: {
      label: 'Forward path',
      hint: 'Add what follows the alias to the destination URL.',
    },
    metaTitle: { label: 'Title' },
    metaDescription: { label: 'Description' },
    metaImage: { label: 'Image URL', hint: 'JPEG or PNG, 1200 × 630 recommended.' },
    parameters: {
      label: 'Parameters',
      hint: 'Added to the destination URL.',
      row: {
        labels: ['Parameter', 'Value'],
        examples: ['ref', 'poster'],
        add: 'Add parameter',
      },
    },
  } satisfies Record<FormFieldName, FieldText>,
  utm: {
    hint: 'Analytics tools read these parameters from the destination URL.',
    fields: {
      utm_source: { label: 'Source', hint: 'newsletter, google' },
      utm_medium: { label: 'Medium', hint: 'email, cpc, social' },
      utm_campaign: { label: 'Campaign', hint: 'spring_sale' },
      utm_term: { label: 'Term', hint: 'Paid search keywords' },
      utm_content: { label: 'Content', hint: 'Tells apart links of one ad' },
    } satisfies Record<UtmName, FieldText>,
    template: 'UTM template',
    apply: 'Apply template',
    delete: 'Delete template',
    name: 'Template name',
    save: 'Create template',
    applied: 'Template applied',
    saved: 'Template saved',
    deleted: 'Template deleted',
  },
  rules: {
    legend: 'Rules',
    hint: 'The first rule whose conditions all match wins. All other visitors get the destination URL.',
    rule: 'Rule',
    add: 'Add rule',
    firstCondition: 'First condition of the new rule',
    condition: 'Another condition',
    addCondition: 'Add condition',
    removeCondition: 'Remove condition',
    up: 'Move up',
    down: 'Move down',
    remove: 'Remove',
    drag: 'Drag to reorder',
    moved: 'Moved to position {n}',
    removed: 'Rule removed',
    empty: 'needs a value, or remove this condition',
    to: 'Destination URL for this rule',
    choose: 'Select …',
    from: 'From',
    until: 'Until',
    zone: 'Time zone',
    days: { mon: 'Mon', tue: 'Tue', wed: 'Wed', thu: 'Thu', fri: 'Fri', sat: 'Sat', sun: 'Sun' },
    conditions: {
      country: { label: 'Country', example: 'Germany' },
      device: { label: 'Device', example: '' },
      language: { label: 'Language', example: 'French or en-GB' },
      browser: { label: 'Browser', example: 'Firefox' },
      os: { label: 'Operating system', example: 'Windows or iOS 18' },
      query: { label: 'Query', example: 'utm_source=newsletter' },
      time: { label: 'Time', example: '' },
    } satisfies Record<ConditionName, { label: string; example: string }>,
  },
  devices: {
    iphone: 'iPhone',
    ipad: 'iPad',
    android: 'Android',
    windows: 'Windows',
    macos: 'macOS',
    linux: 'Linux',
    chromeos: 'ChromeOS',
    mobile: 'All phones',
    tablet: 'All tablets',
    desktop: 'All desktops',
  } satisfies Record<DeviceTarget, string>,
} as const

/** Returns the texts of a field. */
export function fieldText(name: string): FieldText {
  const texts: Readonly<Record<string, FieldText>> = editorMessages.fields
  return texts[name] ?? { label: name }
}
