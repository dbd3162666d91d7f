import { expect } from 'vitest'
import { getLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { visibleText } from '../fixtures/visible-text.ts'
import { testApp } from '../support/app.ts'
import { signIn } from '../support/console.ts'
import { editTest } from '../support/edit-test.ts'
import { valuesOf } from '../support/link-form.ts'

const test = editTest()

const destination = 'https://example.com/target'

test('keeps a past expiration when another field changes', async () => {
  // Its clock is set forward.
  const laterApp = await testApp()
  try {
    const owner = await laterApp.make.owner()
    const { id } = await laterApp.make.link(owner, { expiresAt: '2131-01-01' })
    laterApp.clock.set('2131-02-01T00:00:00Z')
    const session = await signIn(laterApp, owner.account.email)
    const url = `/console/links/${id}/edit`
    const values = { ...valuesOf((await session.open(url)).body), metaTitle: 'Over' }
    expect((await session.send(url, values)).statusCode).toBe(303)
    expect(await getLink(scopeOf(laterApp.services, owner.account.id), id)).toMatchObject({
      expiresAt: new Date('2131-01-01T23:59:59.999Z'),
      metaTitle: 'Over',
    })
  } finally {
    await laterApp.close()
  }
})

test('shows an error next to the field for an alias with an invisible character', async ({
  form,
}) => {
  const reply = await form.create({ url: destination, alias: 'a\u{e0041}' })
  expect(reply.statusCode).toBe(422)
  expect(reply.body).toContain('Must not contain the invisible character U+E0041.')
})

test('the parameter "url" fills in the form, escaped', async ({ person }) => {
  const page = await person.open(`/console/links/new?url=${encodeURIComponent(destination)}`)
  expect(valuesOf(page.body).url).toEqual([destination])
  expect(page.body).toMatch(/id="alias"[^>]* autofocus/)
  const hostile = 'javascript:alert(1)//"><script>alert(2)</script>'
  const { body, statusCode } = await person.open(
    `/console/links/new?url=${encodeURIComponent(hostile)}`,
  )
  expect([statusCode, valuesOf(body).url]).toEqual([200, [hostile]])
  expect(body).not.toContain('<script>alert')
  expect(body).not.toContain('href="javascript:alert')
  const repeatedParameter = await person.open('/console/links/new?url=a&url=b')
  expect(valuesOf(repeatedParameter.body).url).toEqual([''])
})

test('the bookmarklet opens the form with the URL of the current page', async ({ person }) => {
  const { body } = await person.open('/console/links/new')
  const href = /href="(javascript:[^"]+)"/.exec(body)?.[1]?.replaceAll('&quot;', '"') ?? ''
  const location = { href: `${destination}?a=1&b=ü#c` }
  new Function('location', href.replace('javascript:', ''))(location)
  const newLinkPage = await person.open(location.href.replace('http://brev.test', ''))
  expect(valuesOf(newLinkPage.body).url).toEqual([`${destination}?a=1&b=ü#c`])
})

test('escapes malicious texts in the values of a link', async ({ form, make, owner }) => {
  const hostileText = '"><script>alert(1)</script>\u202e'
  const { id } = await make.link(owner, {
    parameters: [{ name: hostileText, value: hostileText }],
    metaTitle: hostileText,
    metaDescription: hostileText,
  })
  await make.pixel(owner, { name: hostileText })
  await make.splash(owner, { name: hostileText })
  expect(await form.readValues(id)).toMatchObject({
    metaTitle: [hostileText],
    metaDescription: [hostileText],
    'parameter-name': [hostileText, ''],
    'parameter-value': [hostileText, ''],
  })
})

test('suggests the account’s tags', async ({ make, owner, person }) => {
  await make.link(owner, { tags: ['Sale & "more"'] })
  await make.link(await make.owner(), { tags: ['of-someone-else'] })
  const { body } = await person.open('/console/links/new')
  expect(body).toContain('<option value="Sale &amp; &quot;more&quot;">')
  expect(body).not.toContain('of-someone-else')
})

test('the form of a link is headed by its name', async ({ make, owner, person }) => {
  const titled = await make.link(owner, { metaTitle: 'A <title>' })
  const untitled = await make.link(owner, { alias: 'no-title' })
  const readHeading = async (id: number) =>
    visibleText(
      /<h1.*?<\/h1>/.exec((await person.open(`/console/links/${id}/edit`)).body)?.[0] ?? '',
    )
  expect(await readHeading(titled.id)).toBe('Edit\nA &lt;title&gt;')
  expect(await readHeading(untitled.id)).toBe('Edit\nbrev.test/no-title')
})

test('never shows the password and keeps it if the field is empty', async ({
  form,
  make,
  owner,
  person,
  request,
}) => {
  const { id, alias } = await make.link(owner, { password: 'the old secret' })
  expect((await person.open(`/console/links/${id}/edit`)).body).not.toContain('the old secret')
  expect((await form.change(id, { url: destination, alias, password: '' })).statusCode).toBe(303)
  const page = await request({ url: `/${alias}` })
  expect([page.statusCode, (await form.getStored(id)).hasPassword]).toEqual([200, true])
})

test('a password can’t be set and removed together', async ({ form, make, owner }) => {
  const { id, alias } = await make.link(owner, { password: 'kept' })
  const conflicting = { url: destination, alias, password: 'one', removePassword: 'yes' }
  const reply = await form.change(id, conflicting)
  expect([reply.statusCode, valuesOf(reply.body)]).toMatchObject([
    422,
    { password: ['one'], removePassword: ['yes'] },
  ])
  expect((await form.getStored(id)).hasPassword).toBe(true)
})

test('submitting a form twice creates only one link, unless the input has changed', async ({
  form,
  person,
}) => {
  const formValues = valuesOf((await person.open('/console/links/new')).body)
  const before = (await form.getNewest()).total
  const values = { ...formValues, url: destination, password: 'only once' }
  const replies = await Promise.all([form.create(values), form.create(values)])
  const [first, second] = replies.map(({ statusCode, headers }) => [statusCode, headers.location])
  expect([first, (await form.getNewest()).total]).toEqual([second, before + 1])
  expect(first?.[0]).toBe(303)
  expect((await form.create({ ...values, alias: 'a-second' })).statusCode).toBe(303)
  expect((await form.getNewest()).total).toBe(before + 2)
})

test('adds rows without scripts and keeps the entered values', async ({ form, person }) => {
  const before = (await form.getNewest()).total
  const reply = await form.create({
    url: 'not finished',
    'parameter-name': ['ref'],
    'parameter-value': ['half a val'],
    more: 'parameter',
  })
  expect(reply.statusCode).toBe(200)
  const formValues = valuesOf(reply.body)
  expect([formValues.url, formValues['parameter-value']]).toEqual([
    ['not finished'],
    ['half a val', '', '', '', ''],
  ])
  expect(reply.body).toMatch(/id="parameter-1-name"[^>]* autofocus/)
  expect((await form.getNewest()).total).toBe(before)
  expect((await person.open('/console/links/new')).body.match(/ autofocus/g)).toHaveLength(1)
})

test('shows an error and the entered values if the account has reached its limit', async () => {
  const smallApp = await testApp({ env: { LINKS_PER_ACCOUNT: '1' } })
  try {
    const owner = await smallApp.make.owner()
    await smallApp.make.link(owner)
    const session = await signIn(smallApp, owner.account.email)
    const reply = await session.send('/console/links/new', {
      url: destination,
      metaTitle: 'A',
    })
    expect(reply.statusCode).toBe(403)
    expect(reply.body).toContain('reached its maximum number of links')
    expect(valuesOf(reply.body)).toMatchObject({ url: [destination], metaTitle: ['A'] })
  } finally {
    await smallApp.close()
  }
})

test('checks an alias by the same rules as saving', async ({ make, owner, person }) => {
  const { id, alias } = await make.link(owner, { alias: 'own-alias' })
  const foreignLink = await make.link(await make.owner(), { alias: 'foreign-alias' })
  const { host } = await make.domain(owner)
  const checkAlias = async (query: Record<string, string>) => {
    const reply = await person.send(`/console/links/free?id=${query.id ?? ''}`, query)
    return [reply.statusCode, reply.json().state]
  }
  expect(await checkAlias({ alias: 'unused-alias' })).toEqual([200, 'free'])
  expect(await checkAlias({ alias })).toEqual([200, 'taken'])
  expect(await checkAlias({ alias, id: String(id) })).toEqual([200, 'own'])
  expect(await checkAlias({ alias, domain: host })).toEqual([200, 'free'])
  expect(await checkAlias({ alias: 'brev.test/own-alia%73' })).toEqual([200, 'taken'])
  expect(await checkAlias({ alias: `https://${host}/own-alias`, domain: host })).toEqual([
    200,
    'free',
  ])
  expect(await checkAlias({ alias: `https://${host}/own-alias` })).toEqual([200, 'wrong'])
  expect(await checkAlias({ alias: 'foreign-alias', id: String(foreignLink.id) })).toEqual([
    200,
    'taken',
  ])
  expect(await checkAlias({ alias: ' ' })).toEqual([200, ''])
  for (const invalid of ['no spaces', 'console', 'x'.repeat(65), '<b>', '\0']) {
    expect([invalid, await checkAlias({ alias: invalid })]).toEqual([invalid, [200, 'wrong']])
  }
  expect(await checkAlias({ alias: 'own-alias', domain: 'someone.test' })).toEqual([200, 'wrong'])
})

test('redirects signed-out visitors to sign-in, which returns to the form with the URL', async ({
  request,
}) => {
  const reply = await request({ url: `/console/links/new?url=${encodeURIComponent(destination)}` })
  const next = `/console/links/new?url=${encodeURIComponent(destination)}`
  expect([reply.statusCode, reply.headers.location]).toEqual([
    303,
    `/console/sign-in?${new URLSearchParams({ next })}`,
  ])
  const free = await request({ method: 'POST', url: '/console/links/free' })
  expect(free.statusCode).toBe(303)
})
