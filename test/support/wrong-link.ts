import type { Fields } from './forms.ts'
import { toRuleFields } from './link-form.ts'

const script = 'javascript:alert(1)'

/** A link form in which all fields are wrong that can be. */
export const linkFields: Fields = {
  url: script,
  alias: 'taken',
  tags: `fine, ${'y'.repeat(60)}`,
  maxClicks: '0',
  startsDay: '2030-13-01',
  expiresDay: '2020-01-01',
  expiredUrl: 'ftp://files.example',
  password: 'p'.repeat(300),
  campaigns: '999999',
  channels: '999999',
  metaTitle: 'x'.repeat(12_000),
  'parameter-name': '',
  'parameter-value': 'spring',
  'split-name': ['https://a.example/', script],
  'split-value': ['0', '5'],
  ...toRuleFields(
    { country: 'Atlantis', to: script },
    { 'time-days': 'mon', 'time-from': '25:00', 'time-until': '9', 'time-zone': 'Mars', to: '' },
  ),
}

/** The error at each wrong field, by its id. */
export const linkErrors = {
  url: 'must be',
  alias: 'taken',
  tags: 'at most 50',
  maxClicks: 'whole number',
  startsDay: 'date',
  expiresDay: 'future',
  expiredUrl: 'must be',
  password: 'at most',
  campaigns: /./,
  channels: /./,
  metaTitle: 'at most',
  'parameter-0-name': 'empty',
  'split-0-value': 'whole number',
  'split-1-name': 'must be',
  'rule-0-country': 'Atlantis',
  'rule-0-to': 'must be',
  'rule-1-time-from': 'HH:MM',
  'rule-1-time-until': 'HH:MM',
  'rule-1-time-zone': 'time zone',
  'rule-1-to': 'must be',
}
