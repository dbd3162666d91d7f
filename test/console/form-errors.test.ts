import { expect, vi } from 'vitest'
import { type Fields, formOf, postForm, unescapeHtml } from '../support/forms.ts'
import { toRuleFields } from '../support/link-form.ts'
import { operatorTest } from '../support/operator.ts'

/** A form with wrong values: its path, what is submitted, and the error at each wrong field. */
type Case = [
  title: string,
  path: string,
  fields: Fields,
  errors: Readonly<Record<string, string | RegExp>>,
]

const long = 'x'.repeat(300)
const script = 'javascript:alert(1)'
const badPicture = Buffer.from('not an image')

const linkFields: Fields = {
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
  metaTitle: long.repeat(40),
  'parameter-name': '',
  'parameter-value': 'spring',
  'split-name': ['https://a.example/', script],
  'split-value': ['0', '5'],
  ...toRuleFields(
    { country: 'Atlantis', to: script },
    { 'time-days': 'mon', 'time-from': '25:00', 'time-until': '9', 'time-zone': 'Mars', to: '' },
  ),
}
const linkErrors = {
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
const resource = { name: '', image: script, link: script }
const required = 'must not be empty|is required'

const CASES: readonly Case[] = [
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

const test = operatorTest()
  .extend('ids', { scope: 'file' }, async ({ adminConsole, make, owner }) => {
    const link = await make.link(owner, { alias: 'mine' })
    const other = await make.link(owner, { alias: 'taken' })
    const campaign = await make.campaign(owner, { name: 'Spring', slug: 'spring' })
    await make.campaign(owner, { name: 'Summer', slug: 'taken' })
    await make.bio(owner, { alias: 'taken' })
    await adminConsole.admin.send(`/console/campaigns/${campaign.id}/links`, {
      id: [String(link.id), String(other.id)],
    })
    const brand = await make.domain(owner)
    const bio = await make.bio(owner)
    const code = await make.qr(owner)
    return {
      link: link.id,
      other: other.id,
      campaign: campaign.id,
      domain: brand.id,
      host: brand.host,
      bio: bio.id,
      code: code.id,
      account: adminConsole.ordinaryId,
    }
  })
  /** Returns a digest of everything that forms change. */
  .extend('digest', { scope: 'file' }, ({ app }) => async () => {
    const { rows } = await app.services.database.pool.query<{ digest: string }>(
      TABLES.map(
        (table) =>
          `select '${table}' || md5(coalesce(string_agg(t::text, '' order by t::text), '')) as digest from ${table} t`,
      ).join(' union all '),
    )
    return rows.map(({ digest }) => digest)
  })

const TABLES = [
  ...['links', 'link_tags', 'campaigns', 'campaign_links', 'channels', 'pixels', 'splash_pages'],
  ...['overlays', 'bio_pages', 'qr_codes', 'domains', 'webhook_endpoints', 'api_keys', 'imports'],
  ...['users', 'accounts', 'members', 'invitations', 'blocked_hosts', 'utm_templates'],
]

test.for(CASES)(
  'the form "%s" shows the errors of all fields and what was typed',
  async ([, path, fields, errors], { app, adminConsole, ids, digest }) => {
    const fill = (text: string) =>
      text.replace(/\{(\w+)\}/, (_, name: keyof typeof ids) => String(ids[name]))
    const fillKeys = <Value>(values: Readonly<Record<string, Value>>) =>
      Object.fromEntries(
        Object.entries(values).map(([name, value]) => [
          fill(name),
          typeof value === 'string' ? fill(value) : value,
        ]),
      )
    const submitted = fillKeys(fields)
    // Wrong passwords of other cases do not count.
    await app.services.database.pool.query('truncate rate_windows')
    const before = await digest()
    const reply = await adminConsole.admin.send(fill(path), submitted)
    expect(reply.statusCode).toBe(422)
    const shown = listErrors(reply.body)
    const expected = fillKeys(errors)
    expect(Object.keys(shown).toSorted().join()).toBe(Object.keys(expected).toSorted().join())
    for (const [id, text] of Object.entries(expected)) {
      expect(shown[id], id).toMatch(new RegExp(text, 'i'))
      expect(describedBy(reply.body, id), id).toContain(`${id}-error`)
    }
    for (const [name, value] of Object.entries(submitted)) {
      // Passwords are not sent back, and selections have only their choices.
      const isShown =
        !/password|token|^more$/i.test(name) && !reply.body.includes(`<select id="${name}"`)
      if (!isShown || typeof value !== 'string') continue
      expect(reply.body.replaceAll('\n', ''), name).toContain(escapeText(value))
    }
    expect(listFocused(reply.body)).toEqual([Object.keys(shown)[0]])
    const summary = /id="summary">(.*)<\/p>/s.exec(reply.body)?.[1]
    if (summary !== undefined) {
      const linked = [...summary.matchAll(/<a href="#([^"]+)">/g)].map(([, id]) => id)
      expect(linked).toEqual(Object.keys(shown))
      expect(summary).toMatch(new RegExp(`^Check the ${linked.length} highlighted fields\\.<br>`))
    }
    expect(await digest()).toEqual(before)
  },
)

test('a link with a wrong campaign is rejected without hashing its password', async ({
  app,
  adminConsole,
}) => {
  const hash = vi.spyOn(app.services.linkPasswords, 'hash')
  const fields = { url: 'https://example.com/', password: 'long enough', campaigns: '999999' }
  const reply = await adminConsole.admin.send('/console/links/new', fields)
  expect(listErrors(reply.body)).toEqual({ campaigns: expect.any(String) })
  expect(hash).not.toHaveBeenCalled()
})

test('registration shows the errors of all fields and what was typed', async ({ app, digest }) => {
  const form = formOf(await app.request({ url: '/register' }))
  const fields = { csrf: form.csrf, email: 'nobody', username: 'a b', password: 'short' }
  const before = await digest()
  const { statusCode, body } = await postForm(app, '/register', fields, form)
  expect(statusCode).toBe(400)
  expect(listErrors(body)).toEqual({
    email: expect.stringContaining('email'),
    username: expect.stringContaining('letters'),
    password: expect.stringContaining('8'),
  })
  expect(body).toContain('value="nobody"')
  expect(body).toContain('value="a b"')
  expect(body).not.toContain('short')
  expect(await digest()).toEqual(before)
})

/** Returns the errors on a page by the ids of their fields, in order. */
function listErrors(body: string): Record<string, string> {
  const errors = body.matchAll(/<p class="error" id="([^"]+)-error" role="alert">([^<]*)<\/p>/g)
  return Object.fromEntries([...errors].map(([, id, text]) => [id, unescapeHtml(text)]))
}

/** Returns the ids of the elements that describe a field. */
function describedBy(body: string, id: string): string[] {
  const tag = [...body.matchAll(/<[a-z]+ [^>]*>/g)].find(([each]) => each.includes(` id="${id}"`))
  return /aria-describedby="([^"]*)"/.exec(tag?.[0] ?? '')?.[1]?.split(' ') ?? []
}

/** Returns the ids of the fields that ask for the focus. */
function listFocused(body: string): (string | undefined)[] {
  const tags = body.match(/<[a-z]+ [^>]* autofocus[ >]/g) ?? []
  return tags.map((tag) => / id="([^"]+)"/.exec(tag)?.[1])
}

function escapeText(text: string): string {
  const references: Record<string, string> = {
    '&': '&amp;',
    '<': '&lt;',
    '"': '&quot;',
    "'": '&#39;',
  }
  return text.replaceAll(/[&<"']/g, (character) => references[character] ?? character)
}
