import { expect, vi } from 'vitest'
import { formOf, postForm, unescapeHtml } from '../support/forms.ts'
import { operatorTest } from '../support/operator.ts'
import { WRONG_FORMS } from '../support/wrong-forms.ts'

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

test.for(WRONG_FORMS)(
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
