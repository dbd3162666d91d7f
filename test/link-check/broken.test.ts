import { expect, vi } from 'vitest'
import { createJobs } from '../../src/importer/jobs.ts'
import { createLinkChecker } from '../../src/links/check/check-links.ts'
import { setLinkStatus, updateLink } from '../../src/links/link.service.ts'
import { scopeOf } from '../../src/scope.ts'
import { addWebhook } from '../../src/webhooks/webhook.service.ts'
import { signIn } from '../support/console.ts'
import { DAY, linkCheckTest } from '../support/link-check-test.ts'
import { linkListTest } from '../support/link-list.ts'

const test = linkCheckTest()

const respondNotFound = (_: unknown, response: import('node:http').ServerResponse) =>
  void response.writeHead(404).end()

test('two failures a day apart mark a link as broken, and a success clears it', async ({
  app,
  checker,
  make,
  site,
  getStoredCheck,
}) => {
  const { clock, services, request } = app
  const owner = await make.owner()
  const { headers, account } = owner
  await addWebhook(scopeOf(services, account.id), {
    url: 'https://hooks.example/',
    events: ['link.broken'],
  })
  const page = site.page(respondNotFound)
  const { id, alias } = await make.link(owner, { url: page.url })
  const workingLink = await make.link(owner, { url: site.page().url })
  const listLinks = async (query = '') =>
    (await request({ url: `/api/urls${query}`, headers })).json()
  const readEvents = async () =>
    (
      await services.db
        .selectFrom('webhook_messages')
        .select(['type', 'data'])
        .where('account_id', '=', account.id)
        .execute()
    ).map(({ type, data }) => ({ type, data }))

  await checker.check()
  clock.advance(DAY - 1)
  await checker.check()
  expect(await getStoredCheck(id)).toMatchObject({ failing: true, broken: false })
  expect(site.requests(page.path)).toHaveLength(2)
  expect((await listLinks('?status=broken')).data.urls).toEqual([])
  expect(await readEvents()).toEqual([])

  clock.advance(1)
  await checker.check()
  const broken = { since: expect.any(String), problem: 'not_found', destination: page.url }
  expect((await listLinks('?status=broken')).data).toMatchObject({
    result: 1,
    urls: [{ id, broken }],
  })
  const { urls } = (await listLinks()).data
  const listedWorkingLink = urls.find((link: { id: number }) => link.id === workingLink.id)
  expect(listedWorkingLink).not.toHaveProperty('broken')
  const details = (await request({ url: `/api/url/${id}`, headers })).json().details
  expect(details).toMatchObject({ status: 'active', broken })
  expect(await readEvents()).toEqual([
    {
      type: 'link.broken',
      data: expect.objectContaining({ id, problem: 'not_found', destination: page.url }),
    },
  ])
  const visit = await request({ url: `/${alias}` })
  expect([visit.statusCode, visit.headers.location]).toEqual([302, page.url])

  clock.advance(DAY)
  await checker.check()
  expect(await readEvents()).toHaveLength(1)
  site.set(page.path, (_, response) => response.end())
  clock.advance(DAY)
  await checker.check()
  expect(await getStoredCheck(id)).toMatchObject({ failing: false, broken: false, problem: null })
  expect((await listLinks('?status=broken')).data.urls).toEqual([])
})

test('a new destination deletes the result of the check', async ({
  app,
  checker,
  make,
  owner,
  site,
  getStoredCheck,
}) => {
  const { services, clock } = app
  const { id } = await make.link(owner, { url: site.page(respondNotFound).url })
  await checker.check()
  clock.advance(DAY)
  await checker.check()
  expect(await getStoredCheck(id)).toMatchObject({ broken: true })
  const { url } = site.page()
  await updateLink(scopeOf(services, owner.account.id), id, { url, tags: ['new'] })
  expect(await getStoredCheck(id)).toBeUndefined()
})

test('disabled and expired links are not checked', async ({ app, checker, make, owner, site }) => {
  const { services, clock } = app
  const disabled = site.page()
  const expired = site.page()
  const { id } = await make.link(owner, { url: disabled.url })
  await setLinkStatus(scopeOf(services, owner.account.id), id, 'disabled')
  const expiresAt = new Date(clock().getTime() + 1000).toISOString().slice(0, 19).replace('T', ' ')
  await make.link(owner, { url: expired.url, expiresAt })
  clock.advance(2)
  await checker.check()
  expect([site.requests(disabled.path), site.requests(expired.path)]).toEqual([[], []])
})

test('a host that never responds does not delay others', async ({
  app,
  make,
  site,
  getStoredCheck,
}) => {
  const { services } = app
  const owner = await make.owner()
  const pendingResponses: (() => void)[] = []
  const slow = await make.link(owner, {
    url: site.page(
      (_, response) => void pendingResponses.push(() => response.end()),
      'slow.example',
    ).url,
  })
  const others = await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      make.link(owner, { url: site.page(undefined, `other${index}.example`).url }),
    ),
  )
  const checker = createLinkChecker(services, services.db, { hostEveryMs: 0, timeoutMs: 60_000 })
  const checking = checker.checkSlice(0, new AbortController().signal)
  await vi.waitFor(
    async () => {
      for (const { id } of others)
        expect(await getStoredCheck(id)).toMatchObject({ failing: false })
    },
    { timeout: 60_000 },
  )
  expect(await getStoredCheck(slow.id)).toBeUndefined()
  for (const respond of pendingResponses) respond()
  await checking
  checker.close()
  expect(await getStoredCheck(slow.id)).toMatchObject({ failing: false })
})

test('many links to one host do not delay others and are checked later', async ({
  app,
  make,
  site,
  getStoredCheck,
}) => {
  const { services } = app
  const owner = await make.owner()
  const host = 'popular.example'
  const popular = []
  for (let index = 0; index < 25; index += 1) {
    popular.push(await make.link(owner, { url: site.page(undefined, host).url }))
  }
  const other = await make.link(owner, { url: site.page().url })
  const checker = createLinkChecker(services, services.db, { hostEveryMs: 0 })
  const { signal } = new AbortController()
  const slice = await checker.checkSlice(0, signal)
  expect(slice).toEqual({ next: 0, hasPostponed: true })
  expect(await getStoredCheck(other.id)).toMatchObject({ failing: false })
  const states = await Promise.all(popular.map(({ id }) => getStoredCheck(id)))
  expect(states.filter(Boolean)).toHaveLength(20)
  expect(await checker.checkSlice(0, signal)).toEqual({ next: 0, hasPostponed: false })
  expect(await getStoredCheck(popular.at(-1)?.id ?? 0)).toMatchObject({ failing: false })
  checker.close()
})

test('an aborted check stores no result', async ({ app, make, site, getStoredCheck }) => {
  const { services } = app
  const { id } = await make.link(await make.owner(), { url: site.page(() => aborting.abort()).url })
  const aborting = new AbortController()
  const checker = createLinkChecker(services, services.db, { hostEveryMs: 0 })
  await checker.checkSlice(id - 1, aborting.signal)
  expect(await getStoredCheck(id)).toBeUndefined()
  checker.close()
})

test('the console shows and filters broken links', async ({ app, checker, make, site }) => {
  const owner = await make.owner()
  const person = await signIn(app, owner.account.email)
  const { id } = await make.link(owner, { url: site.page(respondNotFound).url })
  const workingLink = await make.link(owner, { url: site.page().url })
  await checker.check()
  app.clock.advance(DAY)
  await checker.check()
  const list = (await person.open('/console/links?status=broken')).body
  expect(list).toContain(`id="link-${id}"`)
  expect(list).not.toContain(`id="link-${workingLink.id}"`)
  expect(list).toContain('<option value="broken" selected>Broken</option>')
  const page = (await person.open(`/console/links/${id}`)).body
  expect(page).toContain('<span class="chip broken">Broken</span>')
  expect(page).toMatch(/was not found\. First seen /)
})

test('GET /api/urls rejects an unknown status', async ({ owner, request }) => {
  const reply = await request({ url: '/api/urls?status=nonsense', headers: owner.headers })
  expect([reply.statusCode, reply.json().message]).toEqual([
    400,
    'status must be one of active, scheduled, disabled, expired, broken',
  ])
})

test('the importer checks links in a job, also after a restart', async ({
  app,
  make,
  owner,
  site,
  getStoredCheck,
}) => {
  const { services } = app
  const ctx = { ...services, log: () => {} }
  for (const page of [site.page(), site.page()]) {
    const { id } = await make.link(owner, { url: page.url })
    const jobs = createJobs(ctx, services.db, { retryMs: 20 })
    jobs?.run()
    await vi.waitFor(
      async () => expect(await getStoredCheck(id)).toMatchObject({ failing: false }),
      {
        timeout: 60_000,
      },
    )
    await jobs?.stop()
  }
})

linkListTest()('without LINK_CHECK, there are no checks and no filter', async ({ app, person }) => {
  expect(createJobs(app.services, app.services.db)).toBeUndefined()
  expect((await person.open('/console/links')).body).not.toContain('value="broken"')
})
