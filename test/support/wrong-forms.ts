import type { Fields } from './forms.ts'
import { linkErrors, linkFields } from './wrong-link.ts'

/** A form with wrong values: its path, what is submitted, and the error at each wrong field. */
type WrongForm = [
  title: string,
  path: string,
  fields: Fields,
  errors: Readonly<Record<string, string | RegExp>>,
]

const long = 'x'.repeat(300)
const script = 'javascript:alert(1)'
const badPicture = Buffer.from('not an image')
const resource = { name: '', image: script, link: script }
const required = 'must not be empty|is required'

export const WRONG_FORMS: readonly WrongForm[] = [
  ['new link', '/console/links/new', linkFields, linkErrors],
  ['link', '/console/links/{link}/edit', linkFields, linkErrors],
  [
    'order of times',
    '/console/links/new',
    { url: script, startsDay: '2031-01-01', expiresDay: '2030-01-01' },
    { url: 'must be', startsDay: 'before' },
  ],
  [
    'UTM template',
    '/console/links/new',
    { more: 'utm:save', 'utm-name': '', utm_source: long.repeat(20), utm_medium: long.repeat(20) },
    { 'utm-name': required, utm_source: 'at most', utm_medium: 'at most' },
  ],
  [
    'short form of a link',
    '/console/links',
    { url: script, alias: 'taken' },
    { url: 'must be', alias: 'taken' },
  ],
  [
    'campaign',
    '/console/campaigns',
    { name: '', slug: 'taken' },
    { name: required, slug: 'taken' },
  ],
  [
    'stored campaign',
    '/console/campaigns/{campaign}',
    { name: long, slug: 'a b' },
    { name: 'at most', slug: /./ },
  ],
  [
    'weights',
    '/console/campaigns/{campaign}/weights',
    { 'weight-{other}': 'x', 'weight-{link}': '0' },
    { 'weight-{link}': 'whole number', 'weight-{other}': 'whole number' },
  ],
  [
    'channel',
    '/console/channels',
    { name: '', description: 'x'.repeat(2001), color: 'red' },
    { name: required, description: 'at most', color: /#/ },
  ],
  [
    'pixel',
    '/console/pixels',
    { type: 'none', name: '', tag: '<' },
    { type: 'one of', name: required, tag: /./ },
  ],
  [
    'splash page',
    '/console/splashes',
    { ...resource, title: '', message: '', seconds: 'soon' },
    {
      name: required,
      title: required,
      message: required,
      image: 'must be',
      link: 'must be',
      seconds: 'whole number',
    },
  ],
  [
    'overlay',
    '/console/overlays',
    { ...resource, type: 'poll', text: '', button: long, options: 'Tea' },
    {
      name: required,
      text: required,
      button: 'at most',
      link: 'must be',
      image: 'must be',
      options: 'lines',
    },
  ],
  [
    'bio page',
    '/console/bios',
    {
      title: '',
      alias: 'taken',
      text: 'x'.repeat(5001),
      color: 'red',
      picture: badPicture,
      'links-title': ['Shop', long, 'Blog'],
      'links-url': [script, 'https://example.com/', script],
    },
    {
      title: required,
      alias: 'taken',
      text: 'at most',
      color: /#/,
      picture: 'image',
      'links-0-url': 'must be',
      'links-1-title': 'at most',
      'links-2-url': 'must be',
    },
  ],
  [
    'stored bio page',
    '/console/bios/{bio}',
    { title: '', alias: 'a b', picture: badPicture, 'links-title': 'Shop', 'links-url': script },
    { title: required, alias: /./, picture: 'image', 'links-0-url': 'must be' },
  ],
  [
    'code of a link',
    '/console/codes',
    {
      type: 'link',
      source: 'existing',
      link: 'unknown',
      name: long,
      foreground: '#eeeeee',
      background: '#ffffff',
      caption: 'x'.repeat(40),
      logo: badPicture,
    },
    { link: 'link', name: 'at most', foreground: 'contrast', caption: 'at most', logo: 'image' },
  ],
  [
    'code of a contact',
    '/console/codes',
    { type: 'vcard', fname: '', org: '', phone: '\u0001', website: 'a b', name: long },
    { phone: 'control', website: /./, name: 'at most' },
  ],
  [
    'code of a network',
    '/console/codes',
    { type: 'wifi', ssid: '', encryption: 'wpa', password: '', name: long },
    { ssid: required, password: required, name: 'at most' },
  ],
  [
    'code of an email',
    '/console/codes/{code}',
    { type: 'email', email: 'nobody', subject: 'x'.repeat(1001), name: long },
    { email: 'email', subject: 'at most', name: 'at most' },
  ],
  [
    'code of a message',
    '/console/codes',
    { type: 'sms', phone: 'abc', message: 'x'.repeat(7090), name: long },
    { phone: 'number', message: 'at most', name: 'at most' },
  ],
  [
    'domain',
    '/console/domains',
    {
      domain: 'not a host',
      redirectroot: script,
      redirect404: 'http://brev.test/x',
      expiredUrl: script,
    },
    { domain: /./, redirectroot: 'must be', redirect404: /./, expiredUrl: 'must be' },
  ],
  [
    'stored domain',
    '/console/domains/{domain}',
    {
      redirectroot: 'https://{host}/',
      redirect404: script,
      assetLinks: '{',
      appSiteAssociation: '[',
    },
    { redirectroot: /./, redirect404: 'must be', assetLinks: 'JSON', appSiteAssociation: 'JSON' },
  ],
  [
    'brand',
    '/console/domains/{domain}/brand',
    { hasAccent: 'on', accent: 'red', logo: badPicture },
    { accent: /#/, logo: 'image' },
  ],
  ['webhook', '/console/webhooks', { url: 'ftp://a.example' }, { url: /./, events: /./ }],
  [
    'key',
    '/console/keys',
    {
      name: '',
      scope: 'full',
      domain: 'other.example',
      expires: '2020-01-01',
      currentPassword: 'wrong',
    },
    { name: required, domain: /./, expires: 'future', currentPassword: 'password' },
  ],
  [
    'settings',
    '/console/settings',
    { language: 'xx', timeZone: 'Mars' },
    { language: 'one of', timeZone: 'time zone' },
  ],
  [
    'own email',
    '/console/account/email',
    { email: 'nobody', yourPassword: 'wrong' },
    { email: 'email', yourPassword: 'password' },
  ],
  [
    'own password',
    '/console/account/password',
    { currentPassword: 'wrong', newPassword: 'short' },
    { currentPassword: 'password', newPassword: '8' },
  ],
  [
    'deletion',
    '/console/account/delete',
    { username: 'other', deletionPassword: 'wrong' },
    { username: /./, deletionPassword: 'password' },
  ],
  [
    'invitation',
    '/console/members/invite',
    { email: 'nobody', role: 'owner', currentPassword: 'wrong' },
    { email: 'email', currentPassword: 'password' },
  ],
  [
    'service',
    '/console/import/api',
    {
      source: 'bitly',
      address: 'ftp://a.example',
      token: '',
      onTaken: 'skip',
      domain: 'other.example',
    },
    { address: 'https', token: /./, domain: /./ },
  ],
  [
    'file',
    '/console/import/file',
    { kind: 'csv', onTaken: 'skip', domain: 'other.example' },
    { file: 'file', domain: /./ },
  ],
  [
    'account of an admin',
    '/console/operator/accounts',
    { email: 'nobody', username: 'ordinary', plan: 'free', ownPassword: 'wrong' },
    { email: 'email', username: 'taken', ownPassword: 'password' },
  ],
  [
    'member of an admin',
    '/console/operator/accounts/{account}/members',
    { email: 'nobody', role: 'editor', memberPassword: 'wrong' },
    { email: 'email', memberPassword: 'password' },
  ],
  [
    'deletion by an admin',
    '/console/operator/accounts/{account}/delete',
    { username: 'other', deletionPassword: 'wrong' },
    { username: /./, deletionPassword: 'password' },
  ],
  [
    'blocked host',
    '/console/operator/hosts',
    { host: 'a b', reason: long },
    { host: /./, reason: 'at most' },
  ],
]
